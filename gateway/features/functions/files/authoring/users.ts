import { jsonRequest, type Ask } from './request.ts';

/** An account, as those who manage accounts see it. */
export type Account = {
  uid: string; email: string | null; displayName: string | null; photoURL: string | null; providerId: string; roles: string[];
  disabled: boolean; createdAt: string; updatedAt: string;
};
export type ListUsers = {
  search?: string; role?: string; ids?: readonly string[]; orderBy?: 'email' | 'displayName' | 'createdAt' | 'updatedAt';
  orderDir?: 'asc' | 'desc'; limit?: number; offset?: number;
};
export type NewUser = {
  email: string; password?: string; displayName?: string; photoURL?: string; metadata?: Record<string, unknown>; roles?: string[];
  uid?: string;
};
export type UserChanges = { email?: string; password?: string; displayName?: string; roles?: string[]; disabled?: boolean };
/** Without a password a link is mailed, or, where that fails, there is one to hand over. */
export type HandedOver<User = Account> = {
  user: User; invitationSent: boolean; temporaryPassword?: string; emailDeliveryFailed?: true;
};

/** Accounts, by the code of the routes below /admin/users: the same bodies, answers and codes, as the service. */
export type UsersClient = {
  list: (query?: ListUsers) => Promise<{ users: Account[]; total: number; limit: number; offset: number }>;
  /** @throws ApiError 404 NOT_FOUND. */
  get: (uid: string) => Promise<{ user: Account }>;
  create: (values: NewUser) => Promise<HandedOver>;
  update: (uid: string, values: UserChanges) => Promise<{ user: Account }>;
  delete: (uid: string) => Promise<{ success: true }>;
  resetPassword: (
    uid: string, values?: { password?: string },
  ) => Promise<HandedOver<Pick<Account, 'uid' | 'email' | 'displayName' | 'roles'>>>;
};

export function usersClient(ask: Ask): UsersClient {
  const request = jsonRequest(ask, 'users', 0);
  return {
    list: ({ ids, ...query } = {}) => request('GET', [], { ...query, ids: ids?.join(',') }) as ReturnType<UsersClient['list']>,
    get: uid => request('GET', [uid]) as ReturnType<UsersClient['get']>,
    create: values => request('POST', [], {}, values) as Promise<HandedOver>,
    update: (uid, values) => request('PUT', [uid], {}, values) as ReturnType<UsersClient['update']>,
    delete: uid => request('DELETE', [uid]) as ReturnType<UsersClient['delete']>,
    resetPassword: (uid, values = {}) => request('POST', [uid, 'reset-password'], {}, values) as ReturnType<UsersClient['resetPassword']>,
  };
}
