// How the page fares with a million vertices; prints its figures as JSON.
import {check, openShown, photograph, quiet, settings, until, withBrowser} from './browser.mjs';

const loads = 3; // a machine may be busy with something else for a moment
const moves = 8;

await withBrowser(async context => {
  let page = null;
  const first = [];
  for (let k = 0; k < loads; ++k) {
    await page?.close();
    page = await openShown(context, settings.million);
    first.push(Math.round((await page.evaluate(() => window.tendrilStats)).firstFrameMs));
  }
  check((await page.evaluate(() => window.tendrilStats.vertices)) === settings.vertices, 'Vertices are missing.');

  const bar = await page.locator('#bar').boundingBox();
  await page.mouse.move(bar.x + 2, bar.y + bar.height / 2);
  await page.mouse.down();
  for (let k = 1; k <= moves; ++k) {
    const count = await page.evaluate(() => window.tendrilStats.scrubMs.length);
    await page.mouse.move(bar.x + bar.width * ((0.37 * k) % 1), bar.y + bar.height / 2);
    await until(page, n => window.tendrilStats.scrubMs.length > n, 'a frame after scrubbing', count);
  }
  await page.mouse.up();

  // A pick goes through all edges.
  const canvas = await page.locator('#canvas').boundingBox();
  const began = performance.now();
  await page.mouse.click(canvas.x + canvas.width / 2, canvas.y + canvas.height / 3);
  await until(page, () => !document.getElementById('strand').hidden, 'a picked strand');
  const pickMs = Math.round(performance.now() - began);

  await page.selectOption('#colour', 'speed');
  await until(page, () => window.tendrilPage.views[0].statistics !== null, 'values of speed');
  await page.keyboard.press('Space');
  await until(page, () => window.tendrilStats.framesShown > 12, 'frames that go on');
  await page.keyboard.press('Space');
  const stats = await page.evaluate(() => ({...window.tendrilStats}));
  await page.selectOption('#colour', 'strand');
  await page.keyboard.press('Escape');
  await photograph(page, 'million', 15000);
  quiet(page);

  const sorted = stats.scrubMs.map(Math.round).sort((a, b) => a - b);
  console.log(JSON.stringify({
    vertices: stats.vertices, firstFrameMs: first, scrubMs: {median: sorted[sorted.length >> 1], all: sorted}, pickMs,
    heapMB: Math.round(stats.heapBytes / 1e6), loadedMB: Math.round(stats.loadedBytes / 1e6),
  }));
  check(Math.min(...first) < 3000, 'The first frame takes', first, 'ms.');
  check(stats.heapBytes < 1e9, 'The page holds', stats.heapBytes, 'bytes.');
});
