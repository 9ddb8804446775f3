import { OutboundError, request } from './request.ts';

export type Fetch = (url: string, options?: {
  method?: string; headers?: Headers | Record<string, string>; body?: unknown; signal?: AbortSignal | null | undefined;
}) => Promise<Response>;

/** Milliseconds, and bytes. */
export type Bounds = { deadline: number; most: number };

/**
 * `fetch` for libraries, within bounds: the body has come whole when it resolves, and a redirect rejects. The operator names its servers.
 */
export function boundedFetch({ deadline, most }: Bounds): Fetch {
  return async (url, { method = 'GET', headers = {}, body, signal } = {}) => {
    if (method !== 'GET' && method !== 'POST') throw new OutboundError(`${method} is not sent`);
    const sent = body instanceof URLSearchParams ? body.toString() : body ?? undefined;
    if (sent !== undefined && typeof sent !== 'string') throw new OutboundError('only text is sent');
    const { status, headers: told, body: bytes } = await request({
      url, method, deadline, most, reach: 'any', headers: Object.fromEntries(new Headers(headers)),
      ...(sent !== undefined && { body: sent }), ...(signal && { signal }),
    });
    if (status < 200 || status > 599 || (status >= 300 && status < 400)) throw new OutboundError(`the server answered ${status}`);
    const type = told['content-type'];
    const content = [204, 205].includes(status) ? null : new Uint8Array(bytes);
    return new Response(content, { status, headers: type ? { 'content-type': type } : {} });
  };
}

/** Rejects for so many milliseconds with the last failure of a URL, instead of asking there again. An answer that is not ok is one. */
export function pausingFetch(fetch: Fetch, pause: number, now = Date.now): Fetch {
  const failures = new Map<string, { until: number; error: unknown }>();
  return async (url, options) => {
    const last = failures.get(url);
    if (last !== undefined && now() < last.until) throw last.error;
    try {
      const response = await fetch(url, options);
      if (!response.ok) throw new OutboundError(`${URL.parse(url)?.host ?? 'the server'} answered ${response.status}`);
      failures.delete(url);
      return response;
    } catch (error) {
      failures.set(url, { until: now() + pause, error });
      throw error;
    }
  };
}
