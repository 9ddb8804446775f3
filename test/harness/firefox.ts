// Debian's Firefox without a window, by WebDriver BiDi (https://w3c.github.io/webdriver-bidi/).
import type { Test } from 'tap';
import { addressIn, connect, installFromDebian, launch, lookFor, type AnyPage, type Browser, type Protocol } from './browser.ts';

const FIREFOX = '/usr/bin/firefox-esr';
/** The last one lets scripts run in the browser itself, for what BiDi has no command for. */
const ARGUMENTS = ['--headless', '--no-remote', '--remote-debugging-port', '0', '--remote-allow-system-access'];

/** As that of Chromium, by the module behind WebDriver's "Add Virtual Authenticator". */
const ADD_AUTHENTICATOR = `(Services.prefs.setBoolPref('security.webauth.webauthn_enable_softtoken', true),
  Services.prefs.setBoolPref('security.webauth.webauthn_enable_usbtoken', false),
  ChromeUtils.importESModule('chrome://remote/content/marionette/webauthn.sys.mjs').webauthn.addVirtualAuthenticator({
    protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true, isUserVerified: true,
    isUserConsenting: true,
  }))`;
const keepShown = (context: string) => `ChromeUtils.importESModule('chrome://remote/content/shared/NavigableManager.sys.mjs')
  .NavigableManager.getBrowsingContextById('${context}').isActive = true`;

/** Firefox reports a lost connection to another origin as an error of the script. The page is told of it, and says so. */
const LOST = /CORS request did not succeed/;

/** Undefined where there is none and none can be installed. Closed at the test's end. */
export async function openFirefox(t: Pick<Test, 'teardown' | 'comment'>): Promise<Browser<AnyPage> | undefined> {
  const missing = await installFromDebian(FIREFOX, 'firefox-esr');
  if (missing !== undefined) {
    t.comment(missing);
    return undefined;
  }
  const { output, signal } = launch(t, FIREFOX, profile => [...ARGUMENTS, '--profile', profile]);
  const protocol = await connect(`${await addressIn(output, /^WebDriver BiDi listening on (ws:.*)/)}/session`);
  await protocol.call('session.new', { capabilities: {} });
  await protocol.call('session.subscribe', { events: ['network.beforeRequestSent', 'log.entryAdded'] });
  const { contexts: [window] } = await protocol.call('browsingContext.getTree', { 'moz:scope': 'chrome' });
  return { signal, page: () => openPage(protocol, window.context as string) };
}

async function openPage({ call, listen }: Protocol, window: string): Promise<AnyPage> {
  const { context } = await call('browsingContext.create', { type: 'tab' });
  const [sent, faults]: [AnyPage['sent'], string[]] = [[], []];
  listen(({ method, params }) => {
    if (method === 'network.beforeRequestSent' && params.context === context) sent.push(params.request);
    if (method !== 'log.entryAdded' || params.source.context !== context) return;
    if (params.type === 'javascript' && params.level === 'error' && !LOST.test(params.text as string)) faults.push(params.text);
  });
  const evaluateIn = async (target: string, expression: string): Promise<any> => {
    const { result, exceptionDetails } = await call('script.evaluate', {
      expression: `(async () => JSON.stringify(await (${expression})))()`, target: { context: target }, awaitPromise: true,
    });
    if (exceptionDetails) throw new Error(exceptionDetails.text);
    return result.value === undefined ? undefined : JSON.parse(result.value as string);
  };
  const evaluate = (expression: string) => evaluateIn(context, expression);
  return {
    sent, faults, evaluate,
    until: expression => lookFor(evaluate, expression),
    open: url => call('browsingContext.navigate', { context, url, wait: 'none' }),
    reload: () => call('browsingContext.reload', { context, wait: 'none' }),
    show: () => call('browsingContext.activate', { context }),
    keepShown: () => evaluateIn(window, keepShown(context as string)),
    offline: isOffline => call('emulation.setNetworkConditions', {
      networkConditions: isOffline ? { type: 'offline' } : null, contexts: [context],
    }),
    addAuthenticator: () => evaluateIn(window, ADD_AUTHENTICATOR),
  };
}
