// Icons of buttons: drawn on a field of 16 by 16, in the colour of the text.
const pen = 'fill="none" stroke="currentColor" stroke-width="1.4" stroke-linecap="round" stroke-linejoin="round"';
const stroke = d => `<path d="${d}" ${pen}/>`;
const solid = d => `<path d="${d}" fill="currentColor"/>`;

const shapes = {
  mark: stroke('M4 1.5c5.5 2 3.5 5-.3 7C1 11.5 6 15 13 13.5M8.5 1.5c3.8 2 3 4.2.6 6.2-1.8 1.7.6 3.1 4.4 2.9'),
  play: solid('M4.5 2.5v11l9-5.5z'),
  pause: solid('M4 2.5h3v11H4zM9 2.5h3v11H9z'),
  first: solid('M3 3h1.5v10H3zM13 3v10L5.5 8z'),
  last: solid('M11.5 3H13v10h-1.5zM3 3v10l7.5-5z'),
  back: stroke('M10 3.5 5.5 8l4.5 4.5'),
  forward: stroke('M6 3.5 10.5 8 6 12.5'),
  loop: stroke('M3 8.5V7a2.5 2.5 0 0 1 2.5-2.5H12M10 2.5l2 2-2 2M13 7.5V9a2.5 2.5 0 0 1-2.5 2.5H4M6 13.5l-2-2 2-2'),
  fit: stroke('M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10') + stroke('M6 8a2 2 0 1 0 4 0 2 2 0 1 0-4 0'),
  body: stroke('M8 1.8c3 0 4.5 2.3 4.5 5S10.5 12.5 8 12.5 3.5 9.5 3.5 6.8 5 1.8 8 1.8zM6.5 12.3v2M9.5 12.3v2'),
  grid: stroke('M5.5 4 2 12.5M10.5 4 14 12.5M8 4v8.5M4 8h8M3 10.5h10M4.9 5.6h6.2'),
  hand: stroke('M5 8V4.2a1 1 0 0 1 2 0V7.5 3a1 1 0 0 1 2 0v4.5-3.7a1 1 0 0 1 2 0v4-1.9a1 1 0 0 1 2 0v3.4' +
    'c0 3-2 5.2-4.7 5.2-2.2 0-3.2-1.2-4.2-3L2.6 9.3c-.5-1 .7-1.9 1.5-1.1z'),
  plot: stroke('M2.5 2.5v11h11M5 10l2.5-3.5 2 2L13 4'),
  theme: stroke('M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11z') + solid('M8 2.5a5.5 5.5 0 0 1 0 11z'),
  help: stroke('M5.8 6a2.2 2.2 0 1 1 3.3 1.9c-.8.5-1.1.9-1.1 1.8') + solid('M7.2 11.5h1.6v1.6H7.2z'),
  close: stroke('M4 4l8 8M12 4l-8 8'),
};

export function setIcon(element, name) {
  element.innerHTML = `<svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">${shapes[name]}</svg>`;
}

for (const element of document.querySelectorAll('[data-icon]')) setIcon(element, element.dataset.icon);
