import type { OnEnd } from '../../http/server.ts';
import { traceparentOf } from '../../http/traceparent.ts';
import { bounded, type RequestRecord } from '../../logs/record.ts';

/** Characters of the longest method: clients may send any word as one. */
const METHOD = 16;

/**
 * Records each request below the base path when it has ended.
 * @param unrecorded paths whose requests are left out, unless they are refused: those of the stream, which would read of itself
 */
export function recordRequests(basePath: string, unrecorded: readonly string[], add: (record: RequestRecord) => void): OnEnd {
  const prefix = `${basePath}/`;
  const left = new Set(unrecorded);

  return (request, status, milliseconds) => {
    const { method, url, requestId } = request;
    if (!url.startsWith(prefix) && url !== basePath) return;
    if (left.has(url) && (status === 200 || status === 499)) return;
    add([Date.now(), bounded(method, METHOD), bounded(url), status, Math.round(milliseconds), requestId, traceparentOf(request)]);
  };
}
