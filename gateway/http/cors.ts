import type { SharedConfig } from '../config/settings.ts';
import { headerBlock } from './header-block.ts';

export type CorsConfig = Pick<SharedConfig, 'production' | 'allowedOrigins'>;
export type Cors = {
  /** Header lines of every answer to this origin; empty for an origin that may not read it. `isOpen`: as Route has it. */
  head(origin: string, isOpen?: boolean): string;
  /** Headers that the answer to a preflight has in addition. */
  preflight(origin: string, requestedHeaders: string, isOpen?: boolean): Record<string, string>;
};

/** A page on the developer's own machine. Anchored and without free text, so that it can be echoed. */
const loopback = /^https?:\/\/(?:(?:[\w-]+\.)*localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i;
const headerList = /^[\w!#$%&'*+.^`|~ ,-]+$/;

const methods = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS';
const exposed = 'ETag, X-Request-ID, Deprecation, Preference-Applied, Idempotency-Replayed, Retry-After, Server-Timing, '
  + 'X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, '
  + 'Content-Length, Content-Range, Accept-Ranges, Content-Disposition, Last-Modified, '
  + 'Location, Upload-Offset, Upload-Length, Tus-Resumable, Tus-Version, Tus-Extension, Tus-Max-Size';
const preflightSeconds = '600';

/** Without credentials, so that a page gets nothing but what it could fetch by itself. */
const openHead = headerBlock({
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': `WWW-Authenticate, ${exposed}`,
});

/** Whether pages of an origin may use the credentials of their visitors. */
export function originTest({ production, allowedOrigins }: CorsConfig): (origin: string) => boolean {
  const listed = new Set(allowedOrigins);
  return origin => listed.has(origin) || (!production && loopback.test(origin));
}

/** Answers carry credentials, so an origin is allowed by name, never by a wildcard. */
export function createCors({ production, allowedOrigins }: CorsConfig): Cors {
  const isAllowed = originTest({ production, allowedOrigins });

  function head(origin: string, isOpen = false): string {
    if (isOpen) return openHead;
    if (origin === '' || !isAllowed(origin)) return '';
    return headerBlock({
      'Access-Control-Allow-Origin': origin,
      'Access-Control-Allow-Credentials': 'true',
      'Access-Control-Expose-Headers': exposed,
    });
  }

  function preflight(origin: string, requestedHeaders: string, isOpen = false): Record<string, string> {
    const vary = { Vary: 'Access-Control-Request-Headers' };
    if (!isOpen && !isAllowed(origin)) return vary;
    const headers = headerList.test(requestedHeaders) ? { 'Access-Control-Allow-Headers': requestedHeaders } : {};
    return { ...vary, 'Access-Control-Allow-Methods': methods, ...headers, 'Access-Control-Max-Age': preflightSeconds };
  }

  return { head, preflight };
}
