import { test } from 'tap';
import { openBrowser } from '../harness/browser.ts';
import { until } from '../harness/until.ts';
import { serveFunctions } from './serve.ts';

const PAGE = `<!doctype html><title>A stream</title><script>
const events = []; let text = '';
const [source, stop] = [new EventSource('/api/functions/live/events'), new AbortController()];
source.onmessage = ({ data }) => events.push(data);
(async () => {
  const reader = (await fetch('/api/functions/live/pieces', { signal: stop.signal })).body.pipeThrough(new TextDecoderStream()).getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) text += read.value;
})().catch(() => undefined);
</script>`;

/** Neither stream ends by itself. */
const LIVE = `
import { Hono } from 'hono';
import { streamSSE, streamText } from 'hono/streaming';
const app = new Hono();
app.get('/', c => c.html(${JSON.stringify(PAGE)}));
app.get('/events', c => streamSSE(c, async stream => {
  stream.onAbort(() => console.log('events were left'));
  for (let n = 0; !stream.aborted; n++) { await stream.writeSSE({ data: 'event ' + n }); await stream.sleep(20); }
}));
app.get('/pieces', c => streamText(c, async stream => {
  stream.onAbort(() => console.log('pieces were left'));
  for (let n = 0; !stream.aborted; n++) { await stream.write('piece ' + n + '\\n'); await stream.sleep(20); }
}));
export default app;`;

test('a page reads streams while they are written, and they end when it stops', async t => {
  const browser = await openBrowser(t);
  if (browser === undefined) {
    t.comment('There is no Chromium here, and it cannot be installed: not tried.');
    return;
  }
  const { address, log } = await serveFunctions(t, { 'live.js': LIVE });
  const page = await browser.page(800, 600);
  await page.open(`${address}/api/functions/live`);
  t.match(await page.until('events.length > 2 && events'), ['event 0', 'event 1', 'event 2']);
  t.match(await page.until('text.split("\\n").length > 3 && text'), /^piece 0\npiece 1\npiece 2\n/);
  t.same(page.faults, []);
  await page.until('(source.close(), stop.abort(), true)');
  for (const stream of ['events', 'pieces']) await until(`${stream} end`, () => log.some(({ msg }) => msg === `${stream} were left`));
});
