import { randomBytes } from 'node:crypto';
import { html, Markup } from '../../http/html.ts';
import type { Reply } from '../../http/route.ts';
import { beginningOf, type Client } from './client-metadata.ts';
import { CONSENT_SCRIPT } from './consent-script.ts';
import type { OAuthOptions } from './options.ts';
import { isLoopback } from './redirects.ts';
import type { AuthorizationRequest } from './request-tokens.ts';
import { inWords } from './scopes.ts';

const STYLE = `
:root { color-scheme: light dark; --line: light-dark(#c9ced6, #454b54); --soft: light-dark(#f4f6f8, #1d2126); }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 28rem; padding: 1.5rem 1rem 3rem; font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere;
  background: light-dark(#fff, #14171a); color: light-dark(#1c2127, #e6e9ec); }
h1 { font-size: 1.35rem; margin: 0 0 1rem; } h2 { font-size: 1rem; margin: 1.25rem 0 .25rem; } p { margin: .5rem 0; }
ul { margin: .25rem 0; padding-left: 1.25rem; }
.notice { border-left: 4px solid #c07600; background: var(--soft); padding: .5rem .75rem; }
.wrong { border-left: 4px solid #c62828; background: var(--soft); padding: .5rem .75rem; }
label { display: block; margin: .75rem 0 0; }
fieldset { border: 1px solid var(--line); border-radius: 6px; margin: 1rem 0; padding: .75rem; }
input, button { font: inherit; width: 100%; padding: .6rem .7rem; border: 1px solid var(--line); border-radius: 6px; }
button { margin-top: .75rem; cursor: pointer; background: var(--soft); color: inherit; }
button[value=allow]:enabled, .first { background: #0b57c4; border-color: #0b57c4; color: #fff; }
button:disabled { opacity: .5; cursor: default; }
:focus-visible { outline: 3px solid #7db4ff; outline-offset: 2px; } [hidden] { display: none !important; }
`;

type Own = Pick<OAuthOptions, 'config' | 'permissions'>;

/** token: of the request; email: as the client knows it. */
type Filled = { token: string; email: string };

/**
 * The page that asks a person. Its form goes to the decision, which sends the browser back to the client. A session of the browser is not
 * used where the client asks for a sign-in that is new.
 */
export function consentPage({ config, permissions }: Own, client: Client, request: AuthorizationRequest, { token, email }: Filled): Reply {
  const { basePath, appName, authCookie } = config;
  const scopes = request.scope.split(' ');
  const main = html`<h1>${shortened(client.name)} asks to use your ${appName} account</h1>
${originOf(client)}
<h2>It could do this, as you and within your own rights</h2>
<ul>${scopes.map(scope => html`<li>${inWords(permissions.scopes, scope)}</li>`)}</ul>
<h2>Your answer goes to</h2>
${destinationOf(request.redirectUri)}
<noscript><p class="wrong">Signing in here needs JavaScript.</p></noscript>
<p id="wrong" class="wrong" role="alert" hidden></p>
<div id="sign-in" hidden>
<form id="password"><fieldset><legend>Sign in to allow it</legend>
<label>Email
<input name="email" type="email" value="${email}" autocomplete="username" required maxlength="255"></label>
<label>Password <input name="password" type="password" autocomplete="current-password" required maxlength="128"></label>
<button class="first">Sign in</button>
<button type="button" id="send-code" hidden>Mail me a code instead</button>
<button type="button" id="use-passkey" hidden>Use a passkey</button>
</fieldset></form>
<form id="code" hidden><fieldset><legend id="code-title">Enter the code</legend>
<label>Code <input name="code" autocomplete="one-time-code" required maxlength="11"></label>
<button class="first">Go on</button>
<button type="button" id="back">Back</button>
</fieldset></form>
</div>
<form id="decision" method="post" action="${basePath}/oauth/authorize/decision">
<input type="hidden" name="request_token" value="${token}"><input type="hidden" name="session_token" value="">
<p id="person" role="status" hidden></p>
<button name="decision" value="allow" disabled>Allow</button>
<button name="decision" value="deny">Deny</button>
</form>
<p id="other" hidden><button type="button" id="change">Use another account</button></p>`;
  return page(200, `${shortened(client.name)} · ${appName}`, main, {
    formAction: `'self' ${sourceOf(request.redirectUri)}`,
    data: { base: basePath, cookie: authCookie && request.signedInAfter === undefined ? 'on' : 'off' },
  });
}

/** The page of a request that cannot be sent back to its client. */
export function refusalPage({ config: { appName } }: Pick<Own, 'config'>, status: number, reason: string): Reply {
  return page(status, appName, html`<h1>This request cannot be answered</h1>
<p class="wrong">${reason}</p>
<p>Nothing was allowed. Close this page, and begin again in the program that opened it.</p>`);
}

/** Whether something stands behind the name of a client. */
function originOf({ id, document }: Client): Markup {
  if (document) return html`<p>It is described at <strong>${new URL(id).host}</strong>.</p>`;
  return html`<p>It registered under this name by itself: nothing proves the name.</p>`;
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

type Parts = { formAction?: string; data?: { base: string; cookie: string } };

/** `data`: with it, the page signs people in. */
function page(status: number, title: string, main: Markup, { formAction = "'none'", data }: Parts = {}): Reply {
  const nonce = randomBytes(16).toString('base64');
  const script = data === undefined ? '' : html`<script nonce="${nonce}">${new Markup(CONSENT_SCRIPT)}</script>`;
  const body = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title>
<link rel="icon" href="data:,"><style nonce="${nonce}">${new Markup(STYLE)}</style>
</head>
<body data-base="${data?.base ?? ''}" data-cookie="${data?.cookie ?? ''}">
<main>${main}</main>
${script}
</body>
</html>
`.text;
  const policy = [
    "default-src 'none'", `style-src 'nonce-${nonce}'`, "img-src data:", ...(data === undefined ? [] : [`script-src 'nonce-${nonce}'`]),
    ...(data === undefined ? [] : ["connect-src 'self'"]), `form-action ${formAction}`, "frame-ancestors 'none'", "base-uri 'none'",
  ].join('; ');
  return {
    status, type: 'text/html; charset=utf-8', body, headers: { 'Content-Security-Policy': policy, 'Cache-Control': 'no-store' },
  };
}
