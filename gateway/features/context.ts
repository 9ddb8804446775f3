import type { Logger } from 'pino';
import type postgres from 'postgres';
import type { CatalogKeeper } from '../catalog/catalog.ts';
import type { Config } from './config.ts';
import type { AdminScope } from '../config/scopes.ts';
import type { Lanes, LiveLanes, ReadLanes } from '../database/lanes.ts';
import type { Listen, Listening } from '../database/listen.ts';
import type { AsService } from '../database/as-service.ts';
import type { FairExecutor } from '../database/fair-executor.ts';
import type { Presence } from '../database/presence.ts';
import type { Call, Route } from '../http/route.ts';
import type { AccountQuery } from '../identity/accounts.ts';
import type { Caller } from '../identity/caller.ts';
import type { Identity } from '../identity/identity.ts';
import type { Passwords } from '../identity/passwords.ts';
import type { Permissions } from '../identity/permissions.ts';
import type { Secrets } from '../identity/secrets.ts';
import type { Limits } from '../limits/limits.ts';
import type { Mail } from '../mail/mail.ts';
import type { Mailbox } from '../mail/mailbox.ts';
import type { Figure } from '../metrics/families.ts';
import type { Bus } from '../process/bus/bus.ts';
import type { RoutesFor } from './route-answers.ts';
import type { ProjectFolder, SchemaDoor } from './schema/options.ts';

/** The database as features use it. */
export type ServedDatabase = {
  /** Where requests connect to. */
  url: string;
  /** Where the owner connects to, past any pooler. */
  ownerUrl: string;
  catalog: CatalogKeeper;
  /** The owner's connections, for what no request waits for. */
  owner: postgres.Sql;
  /** The owner's statements that requests wait for, in turns. */
  accounts: FairExecutor;
  /** The owner's statements of background work, in turns of their own: no request waits behind them. */
  jobs: FairExecutor;
  /** Listens to a channel of notifications. */
  listen: Listen;
  /** Whether notifications reach this start. */
  hears: boolean;
  /** Lanes of the primary. */
  lanes: Lanes;
  /** Where reads go by themselves: to the replica while it is fit, else to the primary's lanes. */
  reads: ReadLanes;
  /** Where subscriptions are read again, at the primary. */
  live: LiveLanes;
  /** Why reads do not go to the replica, when there is one. */
  replicaTrouble: () => string | undefined;
  /** Rejects when the database cannot answer or lacks the service's schema. */
  probe: () => Promise<void>;
  /** How the tables of accounts differ from those that are needed, in words; empty where they do not. */
  accountFaults: () => Promise<readonly string[]>;
  /** For edits of the schema through the service. */
  schema: SchemaDoor;
  /** service.contract(), as text. */
  contract: () => Promise<string>;
};

/** The database as the lone process or the parent has it. */
export type OwnDatabase = ServedDatabase & {
  /** The session that listens; undefined behind a pooler that shares sessions. */
  listening: Listening | undefined;
  /** This start as other gateways see it. */
  presence: Presence;
  /** Calls functions of the project as the service, as many at once as the features that are on asked for. */
  asService: AsService;
  /** Whether the start may change the database (SERVICE_MIGRATE_ON_BOOT). */
  mayChange: boolean;
  /** service.audit(), on a connection of its own. */
  audit: () => Promise<object>;
};

/**
 * Lanes in place of the start's own, of a transaction that never commits: what they answer is of one request alone, counts against no
 * limit, and is announced to none. `tell`: told why the request is refused, also where its caller is not.
 */
export type Held = { lanes: Lanes; tell: (why: string) => void };

/** Values that features provide to those that open after them. */
export type Lent = {
  /** The routes of data, for callers that are known already. */
  dataRoutes: (caller: (call: Call) => Caller, held?: Held) => Route[];
  /** The routes of the accounts of people, and those of files, for callers that are known already. */
  userRoutes: RoutesFor;
  storageRoutes: RoutesFor;
  /** Names of the sources of files. */
  storageSources: readonly string[];
  /** Names of the functions that are served now. */
  functionNames: () => readonly string[];
};

/** @throws ApiError 401 or 403 for a caller without the scope. */
export type RequireScope = (call: Call, scope: AdminScope) => Promise<Caller>;

/** The services that a feature gets when it opens in a serving process. */
export type Context = {
  config: Config;
  secrets: Secrets;
  database: ServedDatabase;
  bus: Bus;
  identity: Identity;
  permissions: Permissions;
  /** @throws ApiError 401 for a credential that is not valid. */
  callerOf: (call: Call) => Caller | Promise<Caller>;
  requireScope: RequireScope;
  /** The owner's statements about accounts. */
  ask: AccountQuery;
  passwords: Passwords;
  /** Resolves once every process of the start has dropped what it knew of the account's tokens. */
  revoked: (uid: string) => Promise<void>;
  /** Calls `handle` when what the tokens of an account, or of all, are worth may have changed. */
  onRevoked: (handle: (uid: string | undefined) => void) => void;
  mail: Mail;
  /** Undefined where mail is sent, and in production. */
  mailbox: Mailbox | undefined;
  limits: Limits;
  /** The collection files, for edits through the service. */
  project: ProjectFolder;
  lent: Partial<Lent>;
  /** The figures of all open features. */
  figures: () => Figure[];
  /** Whether this process does what one process of a start does. */
  isFirst: boolean;
  isDraining: () => boolean;
  log: Logger;
};
