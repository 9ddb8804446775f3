/**
 * The script of the consent page: signs a person in by what /auth/config offers, and puts the access token into the form. Its text stands
 * in the page, since the page allows no other.
 */
export const CONSENT_SCRIPT = `
'use strict';
const { base, cookie } = document.body.dataset;
const at = id => document.getElementById(id);
const decision = at('decision');
const allow = decision.querySelector('[value=allow]');
let answerCode;
let isLeaving = false;

async function post(path, body, token) {
  const headers = { 'content-type': 'application/json', ...(token && { authorization: 'Bearer ' + token }) };
  const response = await fetch(base + path, { method: 'POST', headers, body: JSON.stringify(body), credentials: 'same-origin' });
  const answer = await response.json().catch(() => ({}));
  if (response.ok) return answer;
  throw Object.assign(new Error(answer.error?.message ?? 'Something went wrong. Try again.'), answer.error);
}

function show(id, isShown) { at(id).hidden = !isShown; }

function tell(message) {
  at('wrong').textContent = message;
  show('wrong', message !== '');
}

function askToSignIn() {
  decision.elements.session_token.value = '';
  allow.disabled = true;
  show('person', false);
  show('other', false);
  show('sign-in', true);
  show('password', true);
  show('code', false);
  at('password').elements.email.focus();
}

function askForCode(title, answer) {
  answerCode = answer;
  at('code-title').textContent = title;
  at('code').reset();
  show('password', false);
  show('code', true);
  at('code').elements.code.focus();
}

function signedIn({ user, tokens }) {
  decision.elements.session_token.value = tokens.accessToken;
  at('person').textContent = 'Signed in as ' + (user.email ?? user.displayName ?? user.uid) + '.';
  show('person', true);
  show('other', true);
  show('sign-in', false);
  at('password').reset();
  at('code').reset();
  allow.disabled = false;
  allow.focus();
}

async function secondFactor({ mfaToken, factors }) {
  const { challengeId, id } = await post('/auth/mfa/challenge', { factorId: factors[0].id }, mfaToken);
  askForCode('Enter the code of your authenticator app, or a recovery code',
    code => post('/auth/mfa/challenge/verify', { challengeId: challengeId ?? id, code }, mfaToken));
}

async function attempt(work) {
  tell('');
  document.body.setAttribute('aria-busy', 'true');
  try {
    const answer = await work();
    if (answer !== undefined) signedIn(answer);
  } catch (error) {
    if (error.code === 'MFA_REQUIRED') await attempt(() => secondFactor(error.details));
    else tell(error.message);
  } finally {
    document.body.removeAttribute('aria-busy');
  }
}

function on(id, event, work) {
  at(id).addEventListener(event, happened => {
    happened.preventDefault();
    void attempt(work);
  });
}

on('password', 'submit', () => {
  const { email, password } = at('password').elements;
  return post('/auth/login', { email: email.value, password: password.value });
});
on('code', 'submit', () => answerCode(at('code').elements.code.value.trim()));
on('back', 'click', () => { askToSignIn(); });
on('change', 'click', () => { askToSignIn(); });
on('send-code', 'click', async () => {
  const { email } = at('password').elements;
  if (!email.reportValidity()) return;
  await post('/auth/otp', { email: email.value });
  askForCode('Enter the code that was mailed to you', code => post('/auth/otp/verify', { email: email.value, code }));
});
on('use-passkey', 'click', async () => {
  const { options } = await post('/auth/passkeys/login/options', {});
  const credential = await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) });
  return post('/auth/passkeys/login', { credential: credential.toJSON() });
});
decision.addEventListener('submit', event => {
  if (isLeaving) event.preventDefault();
  isLeaving = true;
});
addEventListener('pageshow', event => { if (event.persisted) location.reload(); });

void (async () => {
  const config = await (await fetch(base + '/auth/config')).json().catch(() => ({}));
  show('send-code', config.emailOtp === true);
  show('use-passkey', config.passkeys === true && typeof globalThis.PublicKeyCredential?.parseRequestOptionsFromJSON === 'function');
  const session = cookie === 'on' ? await post('/auth/refresh', {}).catch(() => undefined) : undefined;
  if (session === undefined) askToSignIn();
  else signedIn(session);
})();
`;
