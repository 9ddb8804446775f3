import { ApiError } from '../../error.ts';
import type { Call, Reply } from '../../http/route.ts';
import { KEY_PREFIX } from '../../identity/api-keys.ts';
import { bearerOf } from '../../identity/bearer.ts';
import type { Caller } from '../../identity/caller.ts';
import type { Identity } from '../../identity/identity.ts';

export type Bearers = {
  /** The agent that a request is from; without a credential that counts here, the answer that says how to get one. */
  agentOf: (call: Call) => Promise<Caller | Reply>;
  /** Tells an agent that lacks scopes which ones it would need, all of them (RFC 6750 section 3.1). */
  stepUp: (scopes: readonly string[]) => Record<string, string>;
};

/** Access tokens of clients, and API keys. A session is no agent, nor is the service key. */
export function createBearers(identity: Pick<Identity, 'client' | 'caller'>, origin: string): Bearers {
  const metadata = `resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`;

  return {
    async agentOf(call) {
      const token = bearerOf(call.header('authorization'));
      if (token === undefined) return refused('unauthorized', 'Send Authorization: Bearer <token>.', `${metadata}, scope="data:read"`);
      const agent = await (token.startsWith(KEY_PREFIX) ? keyOf(token) : identity.client(token));
      if (agent !== undefined) return agent;
      return refused('invalid_token', 'The access token is not valid here.', `error="invalid_token", ${metadata}, scope="data:read"`);
    },
    stepUp(scopes) {
      const lacks = `error="insufficient_scope", scope="${scopes.join(' ')}", ${metadata}`;
      return { 'WWW-Authenticate': `Bearer ${lacks}, error_description="The agent has not been given these scopes."` };
    },
  };

  async function keyOf(token: string): Promise<Caller | undefined> {
    try {
      const caller = await identity.caller(`Bearer ${token}`);
      return caller.kind === 'key' ? caller : undefined;
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) return undefined;
      throw error;
    }
  }
}

function refused(error: string, description: string, challenge: string): Reply {
  return {
    status: 401, headers: { 'WWW-Authenticate': `Bearer ${challenge}` }, body: JSON.stringify({ error, error_description: description }),
  };
}
