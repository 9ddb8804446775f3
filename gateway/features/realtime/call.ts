import { innerCall, type InnerRequest } from '../../http/inner-call.ts';
import type { Call } from '../../http/route.ts';
import type { Session } from './session.ts';

export type Asked = InnerRequest;

/** Translates a frame into a request below `/data/` of the same caller. */
export function callOf(session: Session, asked: Asked): Call {
  const request = { ...asked, path: ['data', ...asked.path] };
  return innerCall(request, { ip: session.socket.ip, get signal() { return session.signal; } });
}
