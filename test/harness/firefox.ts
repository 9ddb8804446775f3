// Debian's Firefox without a window, by WebDriver BiDi (https://w3c.github.io/webdriver-bidi/).
import type { Test } from 'tap';
import { addressIn, connect, installFromDebian, launch, lookFor, type AnyPage, type Browser } from './browser.ts';

const FIREFOX = '/usr/bin/firefox-esr';

/** A page that is offline on demand. */
export type FirefoxPage = AnyPage & { offline: (isOffline: boolean) => Promise<void> };

/** Undefined where there is none and none can be installed. Closed at the test's end. */
export async function openFirefox(t: Pick<Test, 'teardown' | 'comment'>): Promise<Browser<FirefoxPage> | undefined> {
  const missing = await installFromDebian(FIREFOX, 'firefox-esr');
  if (missing !== undefined) {
    t.comment(missing);
    return undefined;
  }
  const { output, signal } = launch(t, FIREFOX,
    profile => ['--headless', '--no-remote', '--remote-debugging-port', '0', '--profile', profile]);
  const { call } = await connect(`${await addressIn(output, /^WebDriver BiDi listening on (ws:.*)/)}/session`);
  await call('session.new', { capabilities: {} });
  return {
    signal,
    async page() {
      const { context } = await call('browsingContext.create', { type: 'tab' });
      const evaluate = async (expression: string): Promise<any> => {
        const { result, exceptionDetails } = await call('script.evaluate', {
          expression: `(async () => JSON.stringify(await (${expression})))()`, target: { context }, awaitPromise: true,
        });
        if (exceptionDetails) throw new Error(exceptionDetails.text);
        return result.value === undefined ? undefined : JSON.parse(result.value as string);
      };
      return {
        evaluate,
        until: expression => lookFor(evaluate, expression),
        open: async url => { await call('browsingContext.navigate', { context, url, wait: 'none' }); },
        offline: async isOffline => {
          await call('emulation.setNetworkConditions', { networkConditions: isOffline ? { type: 'offline' } : null, contexts: [context] });
        },
      };
    },
  };
}
