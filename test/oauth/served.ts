/** A gateway in a process of its own, with its OAuth server and people at it. */
import type { Test } from 'tap';
import { withPeople, type Accounts } from '../accounts/people.ts';
import { addressOf, startGateway, type Gateway } from '../boot/gateway.ts';
import { requester } from '../harness/service.ts';
import { SETTINGS, withClients, type OAuthClients } from './clients.ts';

export type Process = { gateway: Gateway; service: OAuthClients & Pick<Accounts, 'address' | 'request' | 'post' | 'register'> };

export async function startProcess(t: Pick<Test, 'teardown'>, env: Record<string, string>): Promise<Process> {
  const gateway = startGateway(t, { ...SETTINGS, SERVICE_SOURCE: 'tables', DB_POOL_MAX: '10', ...env });
  const address = await addressOf(gateway);
  const root = new URL(address).origin;
  return { gateway, service: withClients(withPeople({ address: root, request: requester(`${root}/api`) })) };
}
