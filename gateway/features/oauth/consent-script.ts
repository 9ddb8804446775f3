/**
 * The script of the consent page: signs a person in by what /auth/config offers, and puts the access token into the form. Its text stands
 * in the page, since the page allows no other.
 */
export const CONSENT_SCRIPT = `
'use strict';
const { base, cookie } = document.body.dataset;
const captcha = JSON.parse(document.body.dataset.captcha);
/** Where this tab keeps the sign-in that it has begun at a provider. */
const page = base + '/oauth/authorize';
const at = id => document.getElementById(id);
const decision = at('decision');
const allow = decision.querySelector('[value=allow]');
let answerCode;
let isLeaving = false;

async function post(path, body, headers = {}) {
  const response = await fetch(base + path, {
    method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body), credentials: 'same-origin',
  });
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
  show('change', false);
  allow.hidden = true;
  show('sign-in', true);
  show('password', true);
  show('code', false);
  at('password').elements.email.focus();
}

function askForCode(title, answer) {
  answerCode = answer;
  at('code-title').textContent = title;
  at('code').reset();
  show('sign-in', true);
  show('password', false);
  show('code', true);
  at('code').elements.code.focus();
}

function signedIn({ user, tokens }) {
  decision.elements.session_token.value = tokens.accessToken;
  at('person').textContent = 'Signed in as ' + (user.email ?? user.displayName ?? user.uid) + '.';
  show('person', true);
  show('change', true);
  show('sign-in', false);
  at('password').reset();
  at('code').reset();
  allow.hidden = false;
  allow.disabled = false;
  allow.focus();
}

async function secondFactor({ mfaToken, factors }) {
  const authorization = 'Bearer ' + mfaToken;
  const { challengeId, id } = await post('/auth/mfa/challenge', { factorId: factors[0].id }, { authorization });
  askForCode('Enter the code of your authenticator app, or a recovery code',
    code => post('/auth/mfa/challenge/verify', { challengeId: challengeId ?? id, code }, { authorization }));
}

let captchaScript;
function captchaLoaded() {
  captchaScript ??= new Promise((resolve, reject) => {
    globalThis.captchaReady = () => resolve(globalThis[captcha.name]);
    const script = document.createElement('script');
    script.src = captcha.script + '?render=explicit&onload=captchaReady';
    script.onerror = () => {
      captchaScript = undefined;
      reject(new Error('The captcha cannot be loaded. Try again, or sign in otherwise.'));
    };
    document.head.append(script);
  });
  return captchaScript;
}

/** The header with the solution, where the route asks for one. It counts once, so each attempt is a captcha of its own. */
async function solved(route) {
  if (!captcha.routes.includes(route)) return {};
  const api = await captchaLoaded();
  const box = at('captcha');
  const place = document.createElement('div');
  box.replaceChildren(place);
  show('captcha', true);
  const solution = await new Promise((resolve, reject) => api.render(place, {
    sitekey: captcha.siteKey, callback: resolve, theme: matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light',
    size: innerWidth < 400 ? 'compact' : 'normal',
    'error-callback': () => reject(new Error('The captcha cannot be shown. Try again, or sign in otherwise.')),
  })).finally(() => {
    box.replaceChildren();
    show('captcha', false);
  });
  return { [captcha.header]: solution };
}

const NAMES = { github: 'GitHub', gitlab: 'GitLab', linkedin: 'LinkedIn', twitter: 'X' };
/** A provider as people know it; an issuer of the settings by the name that it has there. */
function shown(name) { return NAMES[name] ?? name[0].toUpperCase() + name.slice(1).replaceAll('-', ' '); }

function offer(provider) {
  const isAway = provider.authorizationUrl === null;
  const button = document.createElement('button');
  button.type = 'button';
  button.disabled = isAway;
  button.textContent = 'Continue with ' + shown(provider.name) + (isAway ? ' (cannot be reached)' : '');
  button.addEventListener('click', () => void attempt(() => leaveFor(provider)));
  return button;
}

/** Sends the person to the provider, and keeps what the answer has to fit. */
async function leaveFor({ name, clientId, authorizationUrl, scopes }) {
  const [state, nonce, codeVerifier] = [random(), random(), random()];
  const redirectUri = location.origin + page + '/callback';
  const isOpenId = scopes.includes('openid') || name === 'apple';
  const proof = { codeVerifier, redirectUri, ...(isOpenId && { nonce }) };
  sessionStorage.setItem(page, JSON.stringify({ name, state, proof, query: location.search }));
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(codeVerifier));
  const url = new URL(authorizationUrl);
  const asked = {
    client_id: clientId, redirect_uri: redirectUri, response_type: 'code', scope: scopes.join(' '), state,
    code_challenge: base64url(new Uint8Array(hash)), code_challenge_method: 'S256', ...(isOpenId && { nonce }),
    ...(name === 'apple' && { response_mode: 'form_post' }),
  };
  for (const [key, value] of Object.entries(asked)) url.searchParams.set(key, value);
  location.assign(url);
}

/** The provider's answer, if this tab has begun that sign-in for this very request. */
function takeAnswer() {
  const begun = JSON.parse(sessionStorage.getItem(page));
  sessionStorage.removeItem(page);
  return begun?.answer !== undefined && begun.query === location.search ? begun : undefined;
}

function signInBy({ name, proof, answer }) {
  const { code, iss, user, error, error_description: reason } = answer;
  if (code === undefined) throw new Error(shown(name) + ' did not sign you in: ' + (reason ?? error ?? 'it sent no code') + '.');
  return post('/auth/' + name, { ...proof, code, iss, user: user && JSON.parse(user) });
}

function random() { return base64url(crypto.getRandomValues(new Uint8Array(32))); }

function base64url(bytes) {
  return btoa(String.fromCharCode(...bytes)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

async function attempt(work) {
  tell('');
  document.body.setAttribute('aria-busy', 'true');
  try {
    const answer = await work();
    if (answer !== undefined) signedIn(answer);
  } catch (error) {
    if (error.code === 'MFA_REQUIRED') await attempt(() => secondFactor(error.details));
    else {
      if (at('sign-in').hidden) askToSignIn();
      tell(error.message);
    }
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

on('password', 'submit', async () => {
  const { email, password } = at('password').elements;
  return post('/auth/login', { email: email.value, password: password.value }, await solved('login'));
});
on('code', 'submit', () => answerCode(at('code').elements.code.value.trim()));
on('back', 'click', () => { askToSignIn(); });
on('change', 'click', () => { askToSignIn(); });
on('send-code', 'click', async () => {
  const { email } = at('password').elements;
  if (!email.reportValidity()) return;
  await post('/auth/otp', { email: email.value }, await solved('emailOtp'));
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

/** A passkey is for its domain alone. */
function isPasskeyHere({ passkeys, passkeyDomain }) {
  const isOfDomain = location.hostname === passkeyDomain || location.hostname.endsWith('.' + passkeyDomain);
  return passkeys === true && isOfDomain && typeof globalThis.PublicKeyCredential?.parseRequestOptionsFromJSON === 'function';
}

void attempt(async () => {
  const answered = takeAnswer();
  const config = await fetch(base + '/auth/config').then(response => response.json());
  const providers = isSecureContext ? config.providers : [];
  show('send-code', config.emailOtp);
  show('use-passkey', isPasskeyHere(config));
  at('providers').replaceChildren(...providers.map(offer));
  show('others', config.emailOtp || isPasskeyHere(config) || providers.length > 0);
  if (answered !== undefined) return signInBy(answered);
  const session = cookie === 'on' ? await post('/auth/refresh', {}).catch(() => undefined) : undefined;
  if (session === undefined) askToSignIn();
  return session;
});
`;
