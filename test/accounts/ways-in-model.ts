/** Accounts and their ways in as a model in memory, by the contract: each function does what a request does, or throws Refused. */
import { createHash } from 'node:crypto';

/** Words of a provider about a subject. */
export type Told = { provider: string; id: string; email: string | null; vouches: boolean };
/** `of`: the person who can use it. */
type Held = { of: string; isProven: boolean };
export type Identity = Held & Told;
export type Factor = Held & { id: string; secret: string };
export type Account = {
  uid: string; email: string; isVerified: boolean; isGuest: boolean; isGone: boolean;
  /** Grows with each end of all its sessions. */
  generation: number;
  password: Held | undefined; factor: Factor | undefined; identities: Identity[]; passkeys: (Held & { id: string })[]; sessions: Session[];
};
export type Session = { account: Account; of: string; method: string; aal: 'aal1' | 'aal2'; isOver: boolean };
export type Purpose = 'verification' | 'magic-link' | 'otp' | 'password-reset' | 'email-change';
/** A mailed token. `to`: where it was mailed; `address`: of its account at that time. */
export type Link = {
  purpose: Purpose; account: Account; to: string; address: string; generation: number; session: Session | undefined;
  isUsed: boolean; isReplaced: boolean;
};
export type Outcome = { outcome: 'known' | 'linked' | 'new' | 'refused'; account: Account | undefined; reason: string | null };

export class Refused extends Error {
  declare status: number;
  declare code: string;
  /** The account that signs in, where its second factor is asked for. */
  declare account: Account | undefined;

  constructor(status: number, code: string, account?: Account) {
    super(code);
    Object.assign(this, { status, code, account });
  }
}

export function hasUnproven({ isVerified, password, factor, identities, passkeys }: Account): boolean {
  return !isVerified || [password, factor, ...identities, ...passkeys].some(held => held?.isProven === false);
}

export function placeholder({ provider, id }: Told): string {
  return `${createHash('sha256').update(id).digest('hex').slice(0, 32)}@${provider}.placeholder.service`;
}

export function createModel() {
  const accounts: Account[] = [];
  const links: Link[] = [];
  const at = (email: string | null) => accounts.find(account => account.email === email);
  const ownerOf = ({ provider, id }: Told) =>
    accounts.find(({ identities }) => identities.some(identity => identity.provider === provider && identity.id === id));

  function create(email: string, parts: Partial<Account> = {}): Account {
    if (at(email) !== undefined) throw new Refused(409, 'EMAIL_EXISTS');
    const account = {
      uid: '', email, isVerified: false, isGuest: false, isGone: false, generation: 0, password: undefined, factor: undefined,
      identities: [], passkeys: [], sessions: [], ...parts,
    };
    accounts.push(account);
    return account;
  }

  function begin(account: Account, of: string, method: string, aal: Session['aal'] = 'aal1'): Session {
    if (aal === 'aal1' && account.factor !== undefined) throw new Refused(401, 'MFA_REQUIRED', account);
    const session: Session = { account, of, method, aal, isOver: false };
    account.sessions.push(session);
    return session;
  }

  function live({ account, isOver }: Session): Account {
    if (account.isGone) throw new Refused(401, 'UNAUTHORIZED');
    if (isOver) throw new Refused(401, 'SESSION_REVOKED');
    return account;
  }

  function atSecondFactor(session: Session): void {
    if (session.account.factor !== undefined && session.aal !== 'aal2') throw new Refused(403, 'AAL2_REQUIRED');
  }

  function guarded(session: Session): Account {
    const account = live(session);
    if (account.isGuest) throw new Refused(403, 'ANONYMOUS_USER');
    atSecondFactor(session);
    return account;
  }

  function endAll(account: Account): void {
    account.generation++;
    for (const session of account.sessions.splice(0)) session.isOver = true;
  }

  function removeUnprovenIdentities(account: Account, address: string): void {
    account.identities = account.identities.filter(({ isProven, vouches, email }) => isProven || (vouches && email === address));
  }

  function prove(account: Account, { keepsPassword = false, keepsIdentities = false } = {}): void {
    if (!hasUnproven(account)) return;
    if (!keepsPassword && account.password?.isProven === false) account.password = undefined;
    if (!keepsPassword && account.factor?.isProven === false) account.factor = undefined;
    if (!keepsIdentities) {
      removeUnprovenIdentities(account, account.email);
      account.passkeys = account.passkeys.filter(({ isProven }) => isProven);
    }
    account.isVerified = true;
    for (const held of [account.password, account.factor, ...account.identities, ...account.passkeys]) if (held) held.isProven = true;
    if (!keepsPassword) endAll(account);
  }

  function refresh(told: Told): void {
    const known = ownerOf(told)?.identities.find(({ provider, id }) => provider === told.provider && id === told.id);
    if (known !== undefined && told.email !== null) Object.assign(known, { email: told.email, vouches: told.vouches });
  }

  function outcome(told: Told): Outcome {
    const owner = ownerOf(told);
    if (owner !== undefined) return { outcome: 'known', account: owner, reason: null };
    const account = at(told.email);
    if (account === undefined) return { outcome: 'new', account, reason: null };
    if (!told.vouches) return { outcome: 'refused', account, reason: 'provider-email-unverified' };
    if (!hasUnproven(account)) return { outcome: 'linked', account, reason: null };
    return { outcome: 'refused', account, reason: `local-account-unverified${account.password === undefined ? '-passwordless' : ''}` };
  }

  const isCurrent = ({ account, address, generation, session }: Link) =>
    account.email === address && account.generation === generation && session?.isOver !== true;

  function refuseLink({ isUsed, isReplaced, account }: Link): never {
    if (isUsed && !isReplaced && !account.isGone) throw new Refused(401, 'TOKEN_ALREADY_USED');
    throw new Refused(400, 'INVALID_TOKEN');
  }

  function usable(link: Link): Account {
    const { account, isUsed, isReplaced } = link;
    if (!account.isGone && !isUsed && !isReplaced && isCurrent(link)) return account;
    if (link.purpose === 'otp') throw new Refused(401, 'INVALID_CODE');
    return refuseLink(link);
  }

  function requireWayIn({ password, identities, passkeys }: Account, without: number): void {
    if (password === undefined && identities.length + passkeys.length === without) throw new Refused(400, 'INVALID_ACCOUNT');
  }

  return {
    accounts, links, at, outcome, live,

    /** A token is mailed: the earlier ones of its purpose are no longer good, unless they were used. */
    mail(purpose: Purpose, account: Account, { to = account.email, session }: { to?: string; session?: Session } = {}): Link {
      for (const link of links) {
        if (link.account === account && link.purpose === purpose && !link.isUsed) link.isReplaced = true;
      }
      const { email: address, generation } = account;
      const link: Link = { purpose, account, to, address, generation, session, isUsed: false, isReplaced: false };
      links.push(link);
      return link;
    },

    guest: (of: string) => begin(create(`guest ${accounts.length}`, { isGuest: true }), of, 'anonymous'),

    register: (of: string, email: string) => begin(create(email, { password: { of, isProven: false } }), of, 'password'),

    login(of: string, email: string): Session {
      const account = at(email);
      if (account?.password?.of !== of) throw new Refused(401, 'INVALID_CREDENTIALS');
      return begin(account, of, 'password');
    },

    /** The second part of a sign-in. */
    enterCode: (account: Account, of: string) => begin(account, of, 'mfa', 'aal2'),

    linkByPassword(session: Session, email: string): Session {
      const account = live(session);
      if (!account.isGuest) throw new Refused(400, 'NOT_ANONYMOUS');
      if (at(email) !== undefined) throw new Refused(409, 'EMAIL_EXISTS');
      Object.assign(account, { email, isGuest: false, password: { of: session.of, isProven: false } });
      return begin(account, session.of, 'password');
    },

    provide(of: string, told: Told): Session {
      const { outcome: found, account: known } = outcome(told);
      if (found === 'refused') throw new Refused(403, 'EMAIL_NOT_VERIFIED');
      const identity = { ...told, of, isProven: found === 'linked' || told.vouches };
      const account = known ?? create(told.email ?? placeholder(told), { isVerified: told.vouches });
      if (found !== 'known') account.identities.push(identity);
      refresh(told);
      if (found === 'known' && told.vouches && account.email === told.email) prove(account);
      return begin(account, of, told.provider);
    },

    /** Whether it was linked already. */
    link(session: Session, told: Told): boolean {
      const account = live(session);
      atSecondFactor(session);
      const owner = ownerOf(told);
      if (owner !== undefined && owner !== account) throw new Refused(409, 'IDENTITY_ALREADY_LINKED');
      if (account.isGuest) {
        const email = told.email ?? placeholder(told);
        if (at(email) !== undefined) throw new Refused(409, 'EMAIL_EXISTS');
        Object.assign(account, { email, isGuest: false });
      }
      if (owner === undefined) account.identities.push({ ...told, of: session.of, isProven: !hasUnproven(account) });
      refresh(told);
      if (told.vouches && account.email === told.email) prove(account, { keepsPassword: true, keepsIdentities: true });
      return owner !== undefined;
    },

    unlink(session: Session, provider: string, id?: string): void {
      const account = guarded(session);
      const rest = account.identities.filter(identity => identity.provider !== provider || (id !== undefined && identity.id !== id));
      if (rest.length === account.identities.length) throw new Refused(404, 'NOT_FOUND');
      requireWayIn(account, account.identities.length - rest.length);
      account.identities = rest;
    },

    guarded,

    enrol(session: Session, id: string): void {
      const account = guarded(session);
      account.passkeys.push({ id, of: session.of, isProven: !hasUnproven(account) });
    },

    deletePasskey(session: Session, id: string): void {
      const account = guarded(session);
      if (!account.passkeys.some(passkey => passkey.id === id)) throw new Refused(404, 'NOT_FOUND');
      requireWayIn(account, 1);
      account.passkeys = account.passkeys.filter(passkey => passkey.id !== id);
    },

    signInByPasskey(of: string, id: string): Session {
      const account = accounts.find(({ passkeys }) => passkeys.some(passkey => passkey.id === id));
      if (account === undefined) throw new Refused(401, 'INVALID_CREDENTIALS');
      return begin(account, of, 'passkey', 'aal2');
    },

    enrolFactor(session: Session, factor: { id: string; secret: string }): void {
      const account = guarded(session);
      account.factor = { ...factor, of: session.of, isProven: !hasUnproven(account) };
    },

    deleteFactor(session: Session): void {
      const account = guarded(session);
      if (session.aal !== 'aal2') throw new Refused(403, 'AAL2_REQUIRED');
      if (account.factor === undefined) throw new Refused(404, 'NOT_FOUND');
      account.factor = undefined;
    },

    askToVerify(session: Session): Account {
      const account = live(session);
      if (account.isVerified) throw new Refused(400, 'ALREADY_VERIFIED');
      if (account.isGuest || account.email.includes('.placeholder.')) throw new Refused(409, 'UNDELIVERABLE_ADDRESS');
      return account;
    },

    /** A GET, also of a mail scanner. */
    open(link: Link, session?: Session): void {
      if (link.account.isGone || link.isReplaced || !isCurrent(link)) refuseLink(link);
      link.account.isVerified = true;
      if (session?.account === link.account) prove(link.account, { keepsPassword: true, keepsIdentities: true });
    },

    /** The POST, by one who may send a password or agree to lose what is unproven. */
    confirm(link: Link, of: string, by: { session?: Session; password?: boolean; removes?: boolean }): Session | undefined {
      const account = usable(link);
      const { session, password = false, removes = false } = by;
      if (password && account.password?.of !== of) throw new Refused(401, 'INVALID_CREDENTIALS');
      const isOwn = session?.account === account;
      if (!isOwn && !password && !removes && [account.password, ...account.identities, ...account.passkeys].some(held =>
        held?.isProven === false)) throw new Refused(409, 'PROOF_REQUIRED');
      link.isUsed = true;
      prove(account, { keepsPassword: isOwn || password, keepsIdentities: isOwn });
      return password ? begin(account, of, 'password') : undefined;
    },

    /** By a mailed link or code. */
    proveByMail(link: Link, of: string): Session {
      const account = usable(link);
      link.isUsed = true;
      prove(account);
      return begin(account, of, link.purpose);
    },

    reset(link: Link, of: string): void {
      const account = usable(link);
      link.isUsed = true;
      prove(account);
      account.password = { of, isProven: true };
      endAll(account);
    },

    askToChange(session: Session, email: string): Account {
      const account = guarded(session);
      if (account.email === email) throw new Refused(400, 'EMAIL_UNCHANGED');
      if (at(email) !== undefined) throw new Refused(409, 'EMAIL_EXISTS');
      return account;
    },

    change(link: Link, session?: Session): void {
      const account = usable(link);
      if (at(link.to) !== undefined) throw new Refused(409, 'EMAIL_EXISTS');
      const isOwn = session?.account === account;
      link.isUsed = true;
      removeUnprovenIdentities(account, link.to);
      for (const held of [account.password, account.factor, ...account.identities, ...account.passkeys]) {
        if (held) held.isProven &&= isOwn;
      }
      Object.assign(account, { email: link.to, isVerified: true });
      if (!isOwn) endAll(account);
    },

    end(session: Session): void {
      session.isOver = true;
      session.account.sessions = session.account.sessions.filter(other => other !== session);
    },

    remove(account: Account): void {
      endAll(account);
      account.isGone = true;
      accounts.splice(accounts.indexOf(account), 1);
    },
  };
}
