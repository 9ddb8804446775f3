import type { Call } from '../../http/route.ts';
import { isObject } from '../../json/exact.ts';
import { RpcError, type Message } from './messages.ts';

/** `handshake`: a client says its revision once, in `initialize`; `stateless`: each request says it. */
export type Era = 'handshake' | 'stateless';

/** Newest first. */
export const HANDSHAKES = ['2025-11-25', '2025-06-18', '2025-03-26'] as const;
export const STATELESS = '2026-07-28';
const SUPPORTED = [STATELESS, ...HANDSHAKES];

const VERSION = 'io.modelcontextprotocol/protocolVersion';
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
const HEADER_MISMATCH = -32020;
const UNSUPPORTED = -32022;

/** Told apart by the request alone. */
export function eraOf(call: Call, { method, params }: Pick<Message, 'method' | 'params'> = { method: '', params: {} }): Era {
  const header = call.header('mcp-protocol-version');
  const isOfHandshake = header === '' || HANDSHAKES.some(version => version === header);
  return metaOf(params)[VERSION] === undefined && isOfHandshake && method !== 'server/discover' ? 'handshake' : 'stateless';
}

/** Judges what a request of the stateless era says of itself, before its method is looked at. @throws RpcError */
export function requireSound(call: Call, message: Message): void {
  const header = call.header('mcp-protocol-version');
  const { [VERSION]: version, [CAPABILITIES]: capabilities } = metaOf(message.params);
  if (version === undefined && header !== '' && header !== STATELESS) throw unsupported(header);
  if (typeof version !== 'string') throw new RpcError(-32602, `_meta has to name ${VERSION}.`);
  if (!isObject(capabilities)) throw new RpcError(-32602, `_meta has to name ${CAPABILITIES}, an object.`);
  if (message.id !== undefined) requireSameHeaders(call, message, version);
  if (version !== STATELESS) throw unsupported(version);
}

function unsupported(requested: string): RpcError {
  return new RpcError(UNSUPPORTED, `This revision is not spoken here: ${SUPPORTED.join(', ')} are.`, {
    data: { supported: SUPPORTED, requested },
  });
}

/** Headers say what the body does, for those on the way who read no bodies. */
function requireSameHeaders(call: Call, { method, params: { name } }: Message, version: string): void {
  const said = { 'MCP-Protocol-Version': version, 'Mcp-Method': method, ...(method === 'tools/call' && { 'Mcp-Name': name }) };
  for (const [header, body] of Object.entries(said)) {
    const text = call.header(header.toLowerCase()).trim();
    const decoded = header === 'Mcp-Name' ? unwrapped(text) : text;
    if (typeof body === 'string' && decoded !== body) {
      throw new RpcError(HEADER_MISMATCH, `The header ${header} does not say what the body says.`);
    }
  }
}

/** Names that headers cannot hold come as Base64. Undefined where it is none. */
function unwrapped(text: string): string | undefined {
  const [, base64] = /^=\?base64\?(.*)\?=$/.exec(text) ?? [];
  if (base64 === undefined) return text;
  const bytes = Buffer.from(base64, 'base64');
  return bytes.toString('base64') === base64 ? bytes.toString() : undefined;
}

function metaOf({ _meta: meta }: Record<string, unknown>): Record<string, unknown> {
  return isObject(meta) ? meta : {};
}
