import type { AccountQuery } from '../../identity/accounts.ts';
import type { ClientDocuments } from './client-documents.ts';
import type { Client } from './client-metadata.ts';

/** The client of this id. Undefined where there is none. @throws OAuthError where its document is not to be used. */
export type Clients = (id: string) => Promise<Client | undefined>;

export function createClients(ask: AccountQuery, documents: ClientDocuments): Clients {
  return async id => {
    if (/^https?:/.test(id)) return documents(id);
    const [row] = await ask('oauth clients', sql => sql<{ client: Pick<Client, 'name' | 'redirectUris'> | null }[]>`
      select service_private.registered_client(${id}) as client`);
    return row?.client ? { id, ...row.client, document: false } : undefined;
  };
}
