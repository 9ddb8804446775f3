import type { AccountQuery } from '../../identity/accounts.ts';
import type { ClientDocuments } from './client-documents.ts';
import type { Client } from './client-metadata.ts';
import { OAuthError } from './errors.ts';

/** The client of this id. Undefined where there is none. @throws OAuthError where it is closed, or its document is not to be used. */
export type Clients = (id: string) => Promise<Client | undefined>;

export function createClients(ask: AccountQuery, documents: ClientDocuments): Clients {
  return async id => {
    const [row] = await ask('oauth clients', sql => sql<{ client: Pick<Client, 'name' | 'redirectUris'> | null; is_closed: boolean }[]>`
      select service_private.registered_client(${id}) as client, service_private.is_closed_client(${id}) as is_closed`);
    if (row?.is_closed) throw new OAuthError(400, 'invalid_client', 'This client was closed by those who run this service.');
    if (/^https?:/.test(id)) return documents(id);
    return row?.client ? { id, ...row.client, document: false } : undefined;
  };
}
