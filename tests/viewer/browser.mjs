// A browser that renders in software, and questions to the page in it.
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {chromium} from 'playwright-core';

const flags = [
  '--headless=new', '--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist',
  '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync',
  '--enable-precise-memory-info',
];

export const settings = JSON.parse(process.argv[2]);

// With a fresh profile, which goes with the browser.
export async function withBrowser(work) {
  const profile = mkdtempSync(join(tmpdir(), 'tendril-browser-'));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: settings.browser, args: flags, viewport: {width: 1100, height: 700}, colorScheme: 'dark',
  });
  try {
    await work(context);
  } finally {
    await context.close();
    rmSync(profile, {recursive: true, force: true});
  }
}

export function check(holds, ...words) {
  if (!holds) throw new Error(words.map(word => (typeof word === 'string' ? word : JSON.stringify(word))).join(' '));
}

// A page with its complaints. Reading pixels back makes the driver complain about the test, not about the page.
export async function openPage(context, address) {
  const page = await context.newPage();
  page.complaints = [];
  page.on('console', message => {
    const ours = ['error', 'warning'].includes(message.type()) && !/GL Driver Message/.test(message.text());
    if (ours) page.complaints.push(message.text());
  });
  page.on('pageerror', error => page.complaints.push(error.message));
  await page.goto(address);
  return page;
}

export async function openShown(context, address) {
  const page = await openPage(context, address);
  await until(page, () => window.tendrilStats?.firstFrameMs > 0, 'the first frame');
  return page;
}

export async function until(page, test, what, argument) {
  try {
    await page.waitForFunction(test, argument, {timeout: 20000, polling: 50});
  } catch {
    const banner = await page.textContent('#banner p');
    throw new Error(`The page never came to: ${what}. Banner: "${banner}". Complaints: ${page.complaints.join('; ')}`);
  }
}

export const quiet = page => check(page.complaints.length === 0, 'The console has', page.complaints);

// Keeps what is drawn now under a name: all strands, one sample, so that equal states give equal pixels.
export function keep(page, name) {
  return page.evaluate(name => {
    const {picture} = window.tendrilPage, {gl, canvas} = picture;
    picture.draw(null, 0, 1, {clear: true, share: 1, jitter: [0, 0], least: 1});
    const pixels = new Uint8Array(4 * canvas.width * canvas.height);
    gl.readPixels(0, 0, canvas.width, canvas.height, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
    (window.kept ??= {})[name] = pixels;
  }, name);
}

// The share of pixels that differ between two kept pictures.
export function differing(page, a, b) {
  return page.evaluate(([a, b]) => {
    const p = window.kept[a], q = window.kept[b];
    let count = 0;
    for (let i = 0; i < p.length; i += 4) if (p[i] !== q[i] || p[i + 1] !== q[i + 1] || p[i + 2] !== q[i + 2]) ++count;
    return count / (p.length / 4);
  }, [a, b]);
}

// Where on the page a vertex of a strand is drawn, by the page's camera.
export function whereIs(page, strand, vertex) {
  return page.evaluate(([strand, vertex]) => {
    const {views: [view], orbit: {camera}, picture} = window.tendrilPage;
    const i = 3 * (view.topology.offsets[strand] + vertex), p = view.frame.arrays.get('position');
    const times = (m, v) => [0, 1, 2, 3].map(r => m[r] * v[0] + m[4 + r] * v[1] + m[8 + r] * v[2] + m[12 + r] * v[3]);
    const inView = times(camera.matrixWorldInverse.elements, [p[i], p[i + 1], p[i + 2], 1]);
    const seen = times(camera.projectionMatrix.elements, inView);
    const box = picture.canvas.getBoundingClientRect(), {w, h} = picture.rectangles[0];
    return {x: box.left + (0.5 + (0.5 * seen[0]) / seen[3]) * w, y: box.top + (0.5 - (0.5 * seen[1]) / seen[3]) * h};
  }, [strand, vertex]);
}

export const frameShown = page => page.evaluate(() => window.tendrilPage.views[0].frame?.number);

// For a person to look at, when the picture is refined or after a while.
export async function photograph(page, name, wait = 2500) {
  await page.waitForFunction(() => window.tendrilPage.picture.still, null, {timeout: wait, polling: 100}).catch(() => {});
  await page.screenshot({path: `${settings.pictures}/${name}.png`});
}
