import { ApiError } from '../../../error.ts';
import { parseWindow } from '../../../grammar/read/paging.ts';
import { splitQuery } from '../../../grammar/query.ts';
import { email, flag, object, optional, password, readBody, roleNames, text, webAddress } from '../../../http/fields.ts';
import { privateReply } from '../../../http/private-reply.ts';
import type { Call, Reply, Route } from '../../../http/route.ts';
import { refuseKey } from '../../../identity/api-keys.ts';
import type { Caller } from '../../../identity/caller.ts';
import { mailedTokens } from '../../../identity/mailed-tokens.ts';
import { requireStrong, temporaryPassword } from '../../../identity/password-policy.ts';
import { isDeliverable } from '../../../mail/address.ts';
import type { RequireScope } from '../../context.ts';
import { newUid } from './fields.ts';
import type { AccountQuery } from '../../../identity/accounts.ts';
import type { Permissions } from '../../../identity/permissions.ts';
import type { Passwords } from '../../../identity/passwords.ts';
import type { Mail } from '../../../mail/mail.ts';

type UsersOptions = {
  ask: AccountQuery;
  passwords: Passwords;
  /** Resolves once every process of this start has dropped the account's cached tokens. */
  revoked: (uid: string) => Promise<void>;
  permissions: Permissions;
  mail: Mail;
  production: boolean;
};

type Gates = { requireScope: RequireScope; callerOf: (call: Call) => Caller | Promise<Caller> };
/** The manager that changes an account, and its rank (Permissions.rankOf, as JSON). */
type Manager = { by: string; rank: string; requestId: string };
type Purpose = 'invitation' | 'password-reset';
type Account = { uid: string; email: string; displayName: string | null; roles: string[] };

const PAGE = { usual: 25, largest: 1000 };
const MOST_UIDS = 100;
const ORDERS = ['email', 'displayName', 'createdAt', 'updatedAt'];
const KNOWN = ['search', 'role', 'orderDir', 'ids'];

/** The accounts of people, for those who manage them. */
export function usersRoutes({ requireScope, callerOf }: Gates, options: UsersOptions): Route[] {
  const { ask, passwords, permissions, revoked, mail, production } = options;
  const tokens = mailedTokens(ask);
  const reader = (call: Call) => requireScope(call, 'users:read');
  const admit = (call: Call) => requireScope(call, 'users:write');
  return [
    { method: 'GET', path: '/admin/users', handle: list },
    { method: 'POST', path: '/admin/users', admit, handle: create },
    { method: 'GET', path: '/admin/users/:uid', handle: show },
    { method: 'PUT', path: '/admin/users/:uid', admit, handle: update },
    { method: 'DELETE', path: '/admin/users/:uid', handle: remove },
    { method: 'POST', path: '/admin/users/:uid/reset-password', admit, handle: resetPassword },
    { method: 'GET', path: '/admin/roles', handle: roles },
    { method: 'POST', path: '/admin/bootstrap', handle: bootstrap },
  ];

  async function list(call: Call): Promise<Reply> {
    const { uid } = await reader(call);
    const { reserved, filters } = splitQuery(call.query);
    const ids = one(filters, 'ids')?.split(',').filter(id => id !== '');
    const unknown = [...filters.keys()].find(name => !KNOWN.includes(name));
    if (unknown !== undefined) throw unreadable(unknown, `is not known; there are ${KNOWN.join(', ')}, orderBy, limit, offset`);
    if (ids !== undefined) return byUid(uid, ids);
    const { limit, offset } = parseWindow(reserved, PAGE.usual, PAGE.largest);
    const { orderBy = 'createdAt' } = reserved;
    const direction = one(filters, 'orderDir') ?? (reserved.orderBy === undefined ? 'desc' : 'asc');
    if (!ORDERS.includes(orderBy)) throw unreadable('orderBy', `must be one of ${ORDERS.join(', ')}`);
    if (!['asc', 'desc'].includes(direction)) throw unreadable('orderDir', 'must be asc or desc');
    return page(await ask(uid, sql => sql<{ page: object }[]>`
      select service_private.list_accounts(${limit}, ${offset}, ${one(filters, 'search') ?? null}, ${one(filters, 'role') ?? null},
        ${orderBy},
        ${direction === 'desc'}) as page`));
  }

  async function byUid(who: string, ids: string[]): Promise<Reply> {
    if (ids.length > MOST_UIDS) throw unreadable('ids', `has more than ${MOST_UIDS} uids`);
    return page(await ask(who, sql => sql<{ page: object }[]>`
      select service_private.accounts_by_uid(array(select jsonb_array_elements_text(${sql.json(ids)}))) as page`));
  }

  async function create(call: Call): Promise<Reply> {
    const { by, rank, requestId } = await manager(call);
    const body = readBody(call.json(), { uid: optional(newUid), email, password: optional(password), displayName: optional(text(255)),
      photoUrl: optional(webAddress), photoURL: optional(webAddress), metadata: optional(object), roles: optional(roleNames) });
    const hash = body.password === undefined ? null : await hashed(body.password);
    const user = await accountOf(by, sql => sql<{ user: Account }[]>`
      select service_private.create_managed_account(${body.email}, ${hash}, ${body.displayName ?? null},
        ${body.photoURL ?? body.photoUrl ?? null},
        ${sql.json((body.metadata ?? {}) as never)}, array(select jsonb_array_elements_text(${sql.json(body.roles ?? [])})),
        ${body.uid ?? null}, ${rank}::text::jsonb) as user`);
    const sender = { by, rank, requestId };
    const delivered = hash === null ? await handOver(sender, user, 'userInvitation', 'invitation') : { invitationSent: false };
    return privateReply({ user, ...delivered }, { status: 201 });
  }

  async function show(call: Call): Promise<Reply> {
    const { uid: by } = await reader(call);
    const user = await accountOf(by, sql => sql<{ user: Account }[]>`select service_private.managed_account(${uidOf(call)}) as user`);
    return privateReply({ user });
  }

  async function update(call: Call): Promise<Reply> {
    const { by, rank } = await manager(call);
    const uid = uidOf(call);
    const body = readBody(call.json(), { email: optional(email), displayName: optional(text(255)), password: optional(password),
      roles: optional(roleNames), disabled: optional(flag) });
    const hash = body.password === undefined ? null : await hashed(body.password);
    const user = await accountOf(by, sql => sql<{ user: Account }[]>`
      select service_private.update_account(${uid}, ${body.email ?? null}, ${body.displayName ?? null},
        (select array(select jsonb_array_elements_text(${sql.json(body.roles ?? [])})) where ${body.roles !== undefined}),
        ${body.disabled ?? null}, ${hash}, ${rank}::text::jsonb) as user`);
    await revoked(uid);
    return privateReply({ user });
  }

  async function remove(call: Call): Promise<Reply> {
    const { by, rank } = await manager(call);
    const uid = uidOf(call);
    await ask(by, sql => sql`select service_private.delete_account(${uid}, ${by}, ${rank}::text::jsonb)`);
    await revoked(uid);
    return privateReply({ success: true });
  }

  async function resetPassword(call: Call): Promise<Reply> {
    const { by, rank, requestId } = await manager(call);
    const uid = uidOf(call);
    const body = readBody(call.json(), { password: optional(password) });
    const hash = body.password === undefined ? null : await hashed(body.password);
    const user = await accountOf(by, sql => hash === null
      ? sql<{ user: Account }[]>`select service_private.begin_password_reset(${uid}, ${rank}::text::jsonb) as user`
      : sql<{ user: Account }[]>`
        select service_private.update_account(${uid}, password_hash => ${hash}, rank => ${rank}::text::jsonb) as user`);
    const sender = { by, rank, requestId };
    const delivered = hash === null ? await handOver(sender, user, 'passwordReset', 'password-reset') : { invitationSent: false };
    await revoked(uid);
    const { email: address, displayName, roles } = user;
    return privateReply({ user: { uid, email: address, displayName, roles }, ...delivered });
  }

  async function roles(call: Call): Promise<Reply> {
    await reader(call);
    return privateReply({ roles: permissions.roles });
  }

  async function bootstrap(call: Call): Promise<Reply> {
    if (call.header('authorization') === '') throw new ApiError(403, 'BOOTSTRAP_ANONYMOUS', 'Register and sign in first.');
    const caller = await callerOf(call);
    refuseKey(caller);
    const { uid } = caller;
    await ask(uid, sql => sql`select service_private.bootstrap_admin(${uid}, ${production})`);
    await revoked(uid);
    const { roles } = await accountOf(uid, sql => sql<{ user: Account }[]>`select service_private.managed_account(${uid}) as user`);
    return privateReply({ success: true, message: 'You are the first admin now.', user: { uid, roles } });
  }

  async function manager(call: Call): Promise<Manager> {
    const caller = await admit(call);
    return { by: caller.uid, rank: JSON.stringify(permissions.rankOf(caller)), requestId: call.requestId };
  }

  async function hashed(sent: string): Promise<string> {
    requireStrong(sent);
    return passwords.hash(sent);
  }

  /** Mails a link to choose a password to the account's address; where that fails, returns a generated password. */
  async function handOver({ by, rank, requestId }: Manager, account: Account, kind: 'userInvitation' | 'passwordReset', purpose: Purpose) {
    const { uid, email: address } = account;
    const isTried = mail.configured && isDeliverable(address);
    if (isTried) {
      const { token, to } = await tokens.issue(uid, purpose);
      if (await mail.send(kind, to, { token }, requestId).then(() => true, () => false)) return { invitationSent: true };
    }
    const password = temporaryPassword();
    const hash = await passwords.hash(password);
    await ask(by, sql => sql`select service_private.update_account(${uid}, password_hash => ${hash}, rank => ${rank}::text::jsonb)`);
    return { invitationSent: false, temporaryPassword: password, ...(isTried && { emailDeliveryFailed: true }) };
  }

  async function accountOf(who: string, statement: Parameters<typeof ask<{ user: Account }[]>>[1]): Promise<Account> {
    const [row] = await ask(who, statement);
    if (row === undefined) throw new Error('No account was returned.');
    return row.user;
  }
}

function one(filters: Map<string, string[]>, name: string): string | undefined {
  const value = filters.get(name)?.at(-1);
  return value === '' ? undefined : value;
}

/** A text that the database cannot store is the uid of no account. */
function uidOf({ params: { uid = '' } }: Call): string {
  return uid.includes('\0') ? '' : uid;
}

function unreadable(parameter: string, problem: string): ApiError {
  return new ApiError(400, 'INVALID_PARAM', `"${parameter}" ${problem}.`, { parameter });
}

function page([row]: { page: object }[]): Reply {
  return privateReply(row?.page ?? {});
}
