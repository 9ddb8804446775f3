import type { Test } from 'tap';
import { tokenFor } from '../harness/service.ts';
import { collections, createWriter, type Writer } from './client.ts';
import { everyone, id, type File } from './history.ts';

/** Rows of an organization, which the access token names. */
export const byClaim: File & { tenant: object; properties: object } = {
  slug: 'orders', tenant: { field: 'orgId', from: { claim: 'org_id' } }, softDelete: true, history: true, securityRules: everyone,
  properties: {
    id, code: { type: 'string', validation: { unique: true } }, note: { type: 'string' }, total: { type: 'number', columnType: 'integer' },
    orgId: { type: 'string', validation: { required: true } }, deletedAt: { type: 'date' },
  },
};
export const orgs: File = {
  slug: 'orgs', properties: { id: { type: 'number', isId: 'increment' }, name: { type: 'string' } }, securityRules: everyone,
};
export const members: File = {
  slug: 'members', softDelete: true, securityRules: [{ operation: 'select', ownerField: 'uid' }],
  properties: {
    id, uid: { type: 'string' }, org: { type: 'relation', relation: { kind: 'belongsTo', target: 'orgs' } }, deletedAt: { type: 'date' },
  },
};
/** Rows of an organization that the caller is a member of. */
export const byMembership: File = {
  slug: 'jobs', tenant: { field: 'org', from: { membership: { collection: 'members', userField: 'uid', tenantField: 'org' } } },
  securityRules: everyone,
  properties: { id, title: { type: 'string' }, org: { type: 'relation', relation: { kind: 'belongsTo', target: 'orgs' } } },
};

export type Landlord = Writer & { ann: string; bob: string; nobody: string; admin: string };

/** A service of these files, with a token of tenant a and one of b, of no tenant, and of an admin of none. */
export async function createLandlord(
  t: Test, files: File[], { setup, env = {} }: { setup?: string; env?: Record<string, string> } = {},
): Promise<Landlord> {
  const writer = await createWriter(t,
    { template: 'served', env: { SERVICE_COLLECTIONS_DIR: collections(t, ...files), ...env }, ...(setup !== undefined && { setup }) });
  const [ann, bob, nobody, admin] = await Promise.all([
    tokenFor('ann', [], { org_id: 'a' }), tokenFor('bob', [], { org_id: 'b' }), tokenFor('nobody'), tokenFor('root', ['admin']),
  ]);
  return { ...writer, ann, bob, nobody, admin };
}
