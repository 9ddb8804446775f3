import { randomBytes } from 'node:crypto';
import { html, Markup } from '../../http/html.ts';
import type { Reply } from '../../http/route.ts';
import { CALLBACK_SCRIPT } from './callback-script.ts';
import { captchaOf } from './captchas.ts';
import { beginningOf, type Client } from './client-metadata.ts';
import { CONSENT_SCRIPT } from './consent-script.ts';
import type { OAuthOptions } from './options.ts';
import { STYLE } from './page-style.ts';
import { isLoopback } from './redirects.ts';
import type { AuthorizationRequest } from './request-tokens.ts';
import { inWords } from './scopes.ts';

type Own = Pick<OAuthOptions, 'config' | 'permissions'>;

/** token: of the request; email: as the client knows it. */
type Filled = { token: string; email: string };

/**
 * The page that asks a person. Its form goes to the decision, which sends the browser back to the client. A session of the browser is not
 * used where the client asks for a sign-in that is new.
 */
export function consentPage({ config, permissions }: Own, client: Client, request: AuthorizationRequest, { token, email }: Filled): Reply {
  const { basePath: base, appName, authCookie } = config;
  const scopes = request.scope.split(' ');
  const captcha = captchaOf(config);
  const main = html`<p class="app">${appName}</p>
<h1>${shortened(client.name)} asks to use your account</h1>
${originOf(client)}
<h2>It could do this, as you and within your own rights</h2>
<ul>${scopes.map(scope => html`<li>${inWords(permissions.scopes, scope)}</li>`)}</ul>
<h2>Your answer goes to</h2>
${destinationOf(request.redirectUri)}
<noscript><p class="wrong">Signing in here needs JavaScript.</p></noscript>
<p id="wrong" class="wrong" role="alert" hidden></p>
<div id="sign-in" class="part" hidden>
<form id="password">
<h2>Sign in to allow it</h2>
<label>Email
<input name="email" type="email" value="${email}" autocomplete="username" required maxlength="255"></label>
<label>Password <input name="password" type="password" autocomplete="current-password" required maxlength="128"></label>
<div id="captcha" role="group" aria-label="Captcha" hidden></div>
<button class="first">Sign in</button>
<div id="others" hidden>
<p class="or">or</p>
<button type="button" id="use-passkey" hidden>Use a passkey</button>
<button type="button" id="send-code" hidden>Mail me a code</button>
<div id="providers"></div>
</div>
</form>
<form id="code" hidden>
<h2 id="code-title">Enter the code</h2>
<label>Code <input name="code" autocomplete="one-time-code" autocapitalize="none" required maxlength="11"></label>
<button class="first">Go on</button>
<button type="button" id="back">Back</button>
</form>
</div>
<form id="decision" class="part" method="post" action="${base}/oauth/authorize/decision">
<input type="hidden" name="request_token" value="${token}"><input type="hidden" name="session_token" value="">
<p id="person" role="status" hidden></p>
<div class="answers">
<button name="decision" value="allow" class="first" disabled hidden>Allow</button>
<button name="decision" value="deny">Deny</button>
</div>
<button type="button" id="change" class="text" hidden>Use another account</button>
</form>`;
  return page(200, `${shortened(client.name)} · ${appName}`, main, {
    script: CONSENT_SCRIPT,
    data: {
      base, cookie: authCookie && request.signedInAfter === undefined ? 'on' : 'off', captcha: JSON.stringify(captcha ?? { routes: [] }),
    },
    policy: [
      ['connect-src', "'self'"], ['form-action', `'self' ${sourceOf(request.redirectUri)}`],
      ...(captcha?.directives ?? []).map((directive): Directive => [directive, captcha?.hosts ?? '']),
    ],
  });
}

/** The page to which a provider sends a person back. Its script takes them to the request that they left. */
export function callbackPage({ config: { basePath: base, appName } }: Pick<Own, 'config'>): Reply {
  return page(200, appName, html`<p class="app">${appName}</p>
<h1 id="title">Signing in</h1>
<noscript><p class="wrong">Signing in here needs JavaScript.</p></noscript>
<p id="wrong" class="wrong" role="alert" hidden>This page did not begin that sign-in. Nothing was allowed. Close this page, and begin again
in the program that opened it.</p>`, { script: CALLBACK_SCRIPT, data: { base } });
}

/** The page of a request that cannot be sent back to its client. */
export function refusalPage({ config: { appName } }: Pick<Own, 'config'>, status: number, reason: string): Reply {
  return page(status, appName, html`<p class="app">${appName}</p>
<h1>This request cannot be answered</h1>
<p class="wrong">${reason}</p>
<p>Nothing was allowed. Close this page, and begin again in the program that opened it.</p>`);
}

/** Whether something stands behind the name of a client. */
function originOf({ id, document }: Client): Markup {
  if (document) return html`<p class="quiet">It is described at <strong>${new URL(id).host}</strong>.</p>`;
  return html`<p class="quiet">It registered under this name by itself: nothing proves the name.</p>`;
}

function destinationOf(redirectUri: string): Markup {
  const { protocol, hostname, host } = new URL(redirectUri);
  if (protocol === 'https:') return html`<p><strong>${host}</strong></p>`;
  if (isLoopback(hostname)) {
    return html`<p class="notice">A program on this computer (<strong>${host}</strong>). Allow it only if you have just started it.</p>`;
  }
  return html`<p class="notice">An app on this device that opens <strong>${protocol}</strong> addresses.
Allow it only if you have just used it.</p>`;
}

/** The redirect as a source of a content security policy, which knows no IPv6 address. */
function sourceOf(redirectUri: string): string {
  const { protocol, hostname, host } = new URL(redirectUri);
  return !/^https?:$/.test(protocol) || hostname.startsWith('[') ? protocol : `${protocol}//${host}`;
}

function shortened(name: string): string {
  const beginning = beginningOf(name, 120);
  return beginning === name ? name : `${beginning}…`;
}

type Directive = [name: string, sources: string];
/** data: what the script reads from the body. policy: what it and the forms may reach. */
type Parts = { script?: string; data?: Record<string, string>; policy?: Directive[] };

function page(status: number, title: string, main: Markup, { script, data = {}, policy = [] }: Parts = {}): Reply {
  const nonce = randomBytes(16).toString('base64');
  const body = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title>
<link rel="icon" href="data:,"><style nonce="${nonce}">${new Markup(STYLE)}</style>
</head>
<body${Object.entries(data).map(([name, value]) => html` data-${name}="${value}"`)}>
<main>${main}</main>
${script === undefined ? '' : html`<script nonce="${nonce}">${new Markup(script)}</script>`}
</body>
</html>
`.text;
  const own: Directive[] = [
    ['default-src', "'none'"], ['style-src', `'nonce-${nonce}'`], ['img-src', 'data:'],
    ['frame-ancestors', "'none'"], ['base-uri', "'none'"],
    ...(script === undefined ? [] : [['script-src', `'nonce-${nonce}'`] satisfies Directive]),
    ...(policy.some(([name]) => name === 'form-action') ? [] : [['form-action', "'none'"] satisfies Directive]),
  ];
  return {
    status, type: 'text/html; charset=utf-8', body,
    headers: { 'Content-Security-Policy': written([...own, ...policy]), 'Cache-Control': 'no-store' },
  };
}

/** Each directive once: browsers read the first one only. */
function written(directives: readonly Directive[]): string {
  const byName = Map.groupBy(directives, ([name]) => name);
  return [...byName].map(([name, given]) => [name, ...given.map(([, sources]) => sources)].join(' ')).join('; ');
}
