// Goes through all that the page can do, with real runs behind it.
import {
  check, differing, frameShown, keep, openPage, openShown, photograph, quiet, settings, until, whereIs, withBrowser,
} from './browser.mjs';

const seek = (page, time) => page.evaluate(time => window.tendrilPage.clock.seek(time), time);
const shows = (page, number) => until(page, n => window.tendrilPage.views[0].frame?.number === n, `frame ${number}`, number);

// Playing, stepping, scrubbing, colours, themes.
async function oneRun(context) {
  const page = await openShown(context, settings.curls);
  check((await frameShown(page)) === 1, 'The page begins with frame', await frameShown(page));
  await keep(page, 'first');
  await keep(page, 'again');
  check((await differing(page, 'first', 'again')) === 0, 'One state gives two pictures.');

  await page.keyboard.press('Space');
  await until(page, () => window.tendrilPage.views[0].frame.number > 4, 'frames that go on');
  await page.keyboard.press('Space');
  await until(page, () => !window.tendrilPage.clock.playing, 'a pause');
  await page.keyboard.press('End');
  await shows(page, settings.frames);
  await page.keyboard.press('ArrowLeft');
  await shows(page, settings.frames - 1);
  await keep(page, 'late');
  check((await differing(page, 'first', 'late')) > 0.005, 'Frames look alike.');

  const bar = await page.locator('#bar').boundingBox();
  await page.mouse.move(bar.x + 1, bar.y + bar.height / 2);
  await page.mouse.down();
  await shows(page, 1);
  for (const share of [0.3, 0.7, 0.5]) {
    await page.mouse.move(bar.x + share * bar.width, bar.y + bar.height / 2);
    await shows(page, 1 + Math.floor(share * (settings.frames - 1)));
  }
  await page.mouse.up();
  await until(page, () => window.tendrilStats.scrubMs.length >= 3, 'figures of scrubbing');
  check((await page.textContent('#time')).includes(`/ ${settings.frames}`), 'The time reads', await page.textContent('#time'));
  await photograph(page, 'run-dark', 2000);

  // Plots: a click moves the clock.
  const plots = await page.locator('.plot h2').allTextContents();
  check(plots.includes('Energy [J]') && plots.includes('Residual'), 'Plots are', plots);
  const plot = await page.locator('.plot .u-over').first().boundingBox();
  await page.mouse.click(plot.x + plot.width / 2, plot.y + plot.height / 2);
  await shows(page, 1 + Math.floor(0.5 * (settings.frames - 1)));

  // Colours.
  await keep(page, 'natural');
  await page.selectOption('#colour', 'speed');
  await until(page, () => window.tendrilPage.views[0].statistics?.high > 0, 'values of speed');
  await keep(page, 'speed');
  check((await differing(page, 'natural', 'speed')) > 0.01, 'Colours change nothing.');
  check((await page.textContent('#legend-unit')) === '[m/s]', 'The legend says', await page.textContent('#legend-unit'));
  check((await page.locator('#legend-ticks span').count()) === 3, 'The legend has no ticks.');
  await page.check('#log-range');
  await keep(page, 'log');
  check((await differing(page, 'speed', 'log')) > 0.005, 'A log scale changes nothing.');
  // Letters are the page's also while a box has the focus.
  for (const theme of ['light', 'dark']) {
    await page.press('#log-range', 't');
    check((await page.evaluate(() => document.documentElement.dataset.theme)) === theme, 'A box keeps T for itself.');
  }
  await page.check('#hold-range');
  const held = await page.textContent('#legend-ticks');
  await seek(page, 0);
  await shows(page, 1);
  check((await page.textContent('#legend-ticks')) === held, 'A held range moved.');
  await page.selectOption('#colour', 'tension');
  await until(page, () => document.getElementById('legend-unit').textContent === '[N]', 'tension in N');
  await page.selectOption('#colour', 'strand');

  // Themes, kept over a reload.
  const back = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const dark = await back();
  await page.keyboard.press('t');
  await until(page, was => getComputedStyle(document.body).backgroundColor !== was, 'another theme', dark);
  await photograph(page, 'run-light', 1500);
  await page.reload();
  await until(page, () => window.tendrilStats?.firstFrameMs > 0, 'the first frame after a reload');
  check((await back()) !== dark, 'The theme is forgotten.');
  await page.keyboard.press('?');
  check(await page.locator('#help').isVisible(), 'There is no help.');
  await page.keyboard.press('Escape');
  await page.keyboard.press('t');

  await page.setViewportSize({width: 360, height: 640});
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
  check(!overflow, 'The page is wider than a small screen.');
  const stage = await page.locator('#stage').boundingBox();
  check(stage.height > 120, 'On a small screen the picture is only', stage.height, 'pixels high.');
  await photograph(page, 'narrow', 1000);
  quiet(page);
  await page.close();
}

async function picking(context) {
  const page = await openShown(context, settings.rods);
  await page.keyboard.press('1');
  for (const strand of [3, 1]) {
    const at = await whereIs(page, strand, 5);
    await page.mouse.click(at.x, at.y);
    await until(page, s => document.getElementById('strand-index').textContent === String(s), `strand ${strand}`, strand);
  }
  await until(page, () => document.querySelectorAll('#strand-values dt').length >= 8, 'figures of the strand');
  await until(page, () => window.tendrilPage.views[0].marks.lines.visible, 'material frames');
  const text = await page.textContent('#strand-values');
  check(/length0\.4/.test(text) && /largest tension/.test(text) && text.includes('rods'), 'The panel says', text);
  await photograph(page, 'picked-rods', 1500);
  const plots = await page.locator('.plot h2').allTextContents();
  check(plots.some(title => title.startsWith('Probe grip')), 'Plots are', plots);
  await page.keyboard.press('Escape');
  check(!(await page.locator('#strand').isVisible()), 'Escape keeps the pick.');
  quiet(page);
  await page.close();
}

async function comparing(context) {
  const page = await openShown(context, settings.compare);
  await until(page, () => window.tendrilPage.views.every(view => view.frame), 'both runs');
  check((await page.locator('#labels span').count()) === 2, 'There are not two views.');
  await seek(page, 0.3);
  // 30 and 12 frames per second: the newest at or before 0.3 s.
  await until(page, () => window.tendrilPage.views.map(view => view.frame.number).join() === '10,4', 'frames 10 and 4');
  await seek(page, 100);
  await until(page, () => window.tendrilPage.views.every(view => view.frame.number === view.run.frames.at(-1)), 'both ends');
  await photograph(page, 'compare', 2000);
  quiet(page);
  await page.close();
}

async function withoutRest(context) {
  const page = await openShown(context, settings.noRest);
  const menu = await page.locator('#colour option').evaluateAll(options => options.map(option => option.value));
  check(menu.includes('speed') && !menu.includes('tension') && !menu.includes('stiffness'), 'The menu offers', menu);
  quiet(page);
  await page.close();
}

async function inProgress(context) {
  const page = await openShown(context, settings.growing);
  const before = await page.evaluate(() => window.tendrilPage.views[0].run.frames.length);
  await until(page, n => {
    const [{run, frame}] = window.tendrilPage.views;
    return run.frames.length > n + 2 && frame.number >= run.frames.at(-1) - 2;
  }, 'newer frames, followed', before);
  check((await page.getAttribute('#follow', 'aria-pressed')) === 'true', 'The run is not followed.');
  await page.keyboard.press('Home');
  await shows(page, 1);
  check((await page.getAttribute('#follow', 'aria-pressed')) === 'false', 'Going back does not end following.');
  quiet(page);
  await page.close();
}

async function failing(context) {
  const page = await openPage(context, settings.damaged);
  await until(page, () => window.tendrilStats?.firstFrameMs > 0, 'the first frame');
  const words = what => until(
    page, part => document.querySelector('#banner p').textContent.includes(part), `the words "${what}"`, what);
  await seek(page, 4 / 30);
  await words('Frame 5 of curls is damaged');
  await photograph(page, 'error', 500);
  const blind = await context.newPage();
  await blind.addInitScript(() => {
    HTMLCanvasElement.prototype.getContext = () => null;
  });
  await blind.goto(settings.damaged);
  await blind.waitForFunction(() => document.querySelector('#banner p').textContent.includes('WebGL 2'));
  await blind.close();
  process.kill(settings.damagedServer);
  await page.selectOption('#colour', 'speed'); // needs a channel that is not here yet
  await words('The server has stopped; start it again with tendril view');
  await page.close();
}

async function live(context) {
  const page = await openShown(context, settings.live);
  const number = await frameShown(page);
  await until(page, n => window.tendrilPage.views[0].frame.number > n + 3, 'live frames', number);
  await until(page, () => document.getElementById('gravityy') !== null, 'sliders');
  check((await page.locator('#windx').count()) === 0, 'There is a slider for wind without air.');
  const gravity = g => until(page, async g => {
    const state = await (await fetch('/api/live/state.json')).json();
    return state.controls.gravity[1] === g;
  }, `a gravity of ${g} m/s2`, g);
  await page.locator('#gravityy').fill('-3');
  await gravity(-3);
  await page.click('[aria-label="Reset gravity"]');
  await gravity(-9.81);

  await page.keyboard.press('1');
  await page.keyboard.press('d');
  const before = await page.evaluate(() => window.tendrilPage.views[0].frame.arrays.get('position')[0]);
  const at = await whereIs(page, 0, 0);
  await page.mouse.move(at.x, at.y);
  await page.mouse.down();
  await page.mouse.move(at.x + 60, at.y, {steps: 4});
  const pixel = await page.evaluate(() => window.tendrilPage.orbit.pixelAt(window.tendrilPage.orbit.distance));
  const rootIs = (between, what) => until(page, ([low, high]) => {
    const x = window.tendrilPage.views[0].frame.arrays.get('position')[0];
    return x > low && x < high;
  }, what, between);
  await rootIs([before + 0.6 * 60 * pixel, before + 1.4 * 60 * pixel], 'roots that follow the pointer');
  await photograph(page, 'live', 1500);
  await page.mouse.up();
  await rootIs([before - 0.005, before + 0.005], 'roots let go');
  await page.click('#play');
  await until(page, () => document.getElementById('time').textContent.includes('paused'), 'a pause');
  const paused = await frameShown(page);
  await page.click('#forward');
  await until(page, n => window.tendrilPage.views[0].frame.number > n, 'one step', paused);
  await page.click('#restart');
  await until(page, () => window.tendrilPage.views[0].frame.time < 0.1, 'a new start');
  check((await page.locator('.plot').count()) >= 2, 'There are no live plots.');
  quiet(page);
  await page.close();
}

const parts = {oneRun, picking, comparing, withoutRest, failing, live, inProgress};

await withBrowser(async context => {
  for (const part of settings.parts.map(name => parts[name])) {
    const began = performance.now();
    await part(context);
    console.log(`${part.name}: ${((performance.now() - began) / 1000).toFixed(1)} s`);
  }
});
