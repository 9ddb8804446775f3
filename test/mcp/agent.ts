import type { Test } from 'tap';
import { createService, SERVICE_KEY, type ServiceOptions, type TestService } from '../harness/service.ts';

export const ORIGIN = 'http://localhost:3000';
const MCP = { SERVICE_MCP_ENABLED: 'true', SERVICE_PUBLIC_URL: ORIGIN };

/** The revision in which each request says its own. */
export const STATELESS = '2026-07-28';

export type Rpc = {
  status: number; headers: Headers; text: string;
  /** Undefined where there is no body. */
  body: any;
};
export type Sent = { method: string; params?: object; id?: number | string | null };

export type Agents = {
  /** A body as it is. */
  post: (body: string, headers: Record<string, string>) => Promise<Rpc>;
  /** A request of the handshake's era. */
  ask: (as: string, sent: Sent | Sent[], headers?: Record<string, string>) => Promise<Rpc>;
  /** One of the stateless era, with all that it has to say. */
  askAlone: (as: string, sent: Sent, headers?: Record<string, string>) => Promise<Rpc>;
  /** The result of a tool. */
  call: (as: string, name: string, given?: object) => Promise<any>;
};

export type Mcp = TestService & Agents & {
  serviceKey: string;
  /** A key of these scopes, which acts as an admin where `roles` say so. */
  key: (scopes: string[], roles?: string[]) => Promise<string>;
};

/** A service that agents can use. */
export async function createMcp(t: Pick<Test, 'teardown'>, { env = {}, ...options }: ServiceOptions = {}): Promise<Mcp> {
  const service = await createService(t, { ...options, env: { ...MCP, ...env } });
  return {
    ...service, ...agentsAt(service),
    serviceKey: SERVICE_KEY,
    async key(scopes, roles = []) {
      const answer = await service.request('/admin/api-keys', {
        method: 'POST', as: SERVICE_KEY, body: JSON.stringify({ name: 'agent', scopes, roles }),
      });
      return answer.body.key.key as string;
    },
  };
}

/** Agents at a service that is there. */
export function agentsAt({ address }: Pick<TestService, 'address'>): Agents {
  const url = `${address}/mcp`;

  async function post(body: string, headers: Record<string, string>): Promise<Rpc> {
    const response = await fetch(url, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: text === '' ? undefined : JSON.parse(text) };
  }

  const bearer = (as: string) => ({ authorization: `Bearer ${as}` });
  const rpc = (sent: Sent) => ({ jsonrpc: '2.0', id: 1, ...sent });

  const ask: Agents['ask'] = (as, sent, headers = {}) =>
    post(JSON.stringify(Array.isArray(sent) ? sent.map(rpc) : rpc(sent)), { ...bearer(as), ...headers });

  return {
    post, ask,
    askAlone(as, { params = {}, ...sent }, headers = {}) {
      const _meta = { 'io.modelcontextprotocol/protocolVersion': STATELESS, 'io.modelcontextprotocol/clientCapabilities': {} };
      const { name } = params as { name?: string };
      return post(JSON.stringify(rpc({ ...sent, params: { _meta, ...params } })), {
        ...bearer(as), 'mcp-protocol-version': STATELESS, 'mcp-method': sent.method, ...(name !== undefined && { 'mcp-name': name }),
        ...headers,
      });
    },
    async call(as, name, given = {}) {
      const { body } = await ask(as, { method: 'tools/call', params: { name, arguments: given } });
      return body.result ?? body.error;
    },
  };
}
