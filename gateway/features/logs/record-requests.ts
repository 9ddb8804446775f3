import type { OnEnd } from '../../http/server.ts';
import { traceparentOf } from '../../http/traceparent.ts';
import { bounded, type RequestRecord } from '../../logs/record.ts';

/** Characters of the longest method: clients may send any word as one. */
const METHOD = 16;

/**
 * Records each request below the base path when it has ended, and others of which a handler has noted something.
 * @param unrecorded paths whose requests are left out, unless they are refused: those of the stream, which would read of itself
 */
export function recordRequests(basePath: string, unrecorded: readonly string[], add: (record: RequestRecord) => void): OnEnd {
  const prefix = `${basePath}/`;
  const left = new Set(unrecorded);

  return (request, status, milliseconds) => {
    const { method, url, requestId, noted } = request;
    if (!url.startsWith(prefix) && url !== basePath && noted === undefined) return;
    if (left.has(url) && (status === 200 || status === 499)) return;
    const record = [Date.now(), bounded(method, METHOD), bounded(url), status, Math.round(milliseconds), requestId] as const;
    add(noted === undefined ? [...record, traceparentOf(request)] : [...record, traceparentOf(request), noted]);
  };
}
