/**
 * The script of the page to which providers send people back. It keeps the answer for the consent page that they left, and goes there. An
 * answer without the state that this tab sent is another person's.
 */
export const CALLBACK_SCRIPT = `
'use strict';
const page = document.body.dataset.base + '/oauth/authorize';
const answer = Object.fromEntries(new URLSearchParams(location.search));
const begun = JSON.parse(sessionStorage.getItem(page));
if (begun !== null && begun.answer === undefined && begun.state === answer.state) {
  sessionStorage.setItem(page, JSON.stringify({ ...begun, answer }));
  location.replace(page + begun.query);
} else {
  history.replaceState(null, '', location.pathname);
  document.getElementById('title').textContent = 'This sign-in cannot go on';
  document.getElementById('wrong').hidden = false;
}
`;
