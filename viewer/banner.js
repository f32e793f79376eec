// Errors on the page, in words. One at a time: the newest.
import {ServerGone} from './api.js';

const banner = document.getElementById('banner');
const text = banner.querySelector('p');
let gone = false;
let command = 'tendril view';

banner.querySelector('button').addEventListener('click', () => hideError());

// How the server was started, for the advice to start it again.
export function setCommand(words) {
  command = words;
}

export function showError(error) {
  gone = error instanceof ServerGone;
  text.textContent = gone ? `The server has stopped; start it again with ${command}` : error.message;
  banner.hidden = false;
}

export function hideError() {
  banner.hidden = true;
  gone = false;
}

// The server answers: what was said about its absence is no longer true. True if it had been away.
export function serverIsBack() {
  const wasGone = gone;
  if (gone) hideError();
  return wasGone;
}
