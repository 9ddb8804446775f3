import type { Call } from '../../http/route.ts';

/** Whether a browser asks for something to look at, not a program for data. */
export function acceptsHtml(call: Call): boolean {
  return call.header('accept').includes('text/html');
}
