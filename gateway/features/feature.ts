import type { Logger } from 'pino';
import type { Config } from './config.ts';
import type { MainBus } from '../process/bus/bus.ts';
import type { FeatureRow } from '../http/feature-table.ts';
import type { Route } from '../http/route.ts';
import type { OnEnd } from '../http/server.ts';
import type { SocketSurface } from '../http/sockets.ts';
import type { Source } from '../logs/record.ts';
import type { Figure } from '../metrics/families.ts';
import type { Commands } from './command.ts';
import type { Secrets } from '../identity/secrets.ts';
import type { Mail } from '../mail/mail.ts';
import type { Context, Lent, OwnDatabase } from './context.ts';
import type { CronJob } from './cron-job.ts';
import type { Handlers } from './job.ts';
import type { BackgroundFiles } from './project-files.ts';
import type { settings } from './settings.ts';

/** A setting that turns something on or off. */
export type Switch = {
  [Name in keyof typeof settings]: 'off' extends Config[Name] ? Name : Config[Name] extends boolean ? Name : never;
}[keyof typeof settings];
/** A row of the feature table, with the settings that switch it: all of them have to be there. */
export type SwitchedRow = Omit<FeatureRow, 'setting' | 'isOn'> & { switch?: Switch | readonly (Switch | 'publicUrl')[] };

/** One feature of the service. Its folder holds everything of it; its code is loaded only where it is switched on. */
export type Feature = {
  name: string;
  /** The source of its lines in the logs; system where it does not say. */
  source?: Source;
  /** Its rows of the feature table. */
  rows: readonly SwitchedRow[];
  /** The roles (SERVICE_ROLE) in which its requests are answered; all and api where it does not say. */
  roles?: readonly Config['role'][] | ((config: Config) => readonly Config['role'][]);
  /** Roles in which it opens for what it lends alone. */
  lendsIn?: readonly Config['role'][];
  /** Whether the settings switch it on; without it, it always is. */
  isOn?: (config: Config) => boolean;
  /** Its part that serves requests: opened in each process that serves, in the order of the list. */
  serving?: () => Promise<Serving>;
  /** How many SQL functions of the project it calls as the service at once, at most. */
  serviceCalls?: (config: Config) => number;
  /** Its part that one process of a start does for all of them: the lone process, or the parent of workers. */
  shared?: () => Promise<Shared>;
  /** Where it is switched off: what keeps the database from going on with it. */
  off?: () => Promise<Pick<Shared, 'prepare' | 'standing'>>;
  /** `rowgate` commands. */
  commands?: Commands;
};

export type Serving = { open: (context: Context) => Opened | Promise<Opened> };

/** A feature that is open in this process. */
export type Opened = {
  routes?: Route[];
  /** The WebSockets, at any path. */
  sockets?: SocketSurface;
  /** Values that it provides to features that open after it. */
  lends?: Partial<Lent>;
  /** Its figures for /metrics, of this process. */
  figures?: () => Figure[];
  /** Told of each request that ended. */
  onEnd?: OnEnd;
  /** Lines of the start screen: a label, and a text. */
  shown?: () => [label: string, text: string][];
  /** Called while requests under way end. */
  drain?: (deadlineMs: number) => Promise<void>;
  /** Called once no request is under way, in the reverse order of opening. */
  close?: (deadlineMs: number) => Promise<void>;
};

export type Shared = {
  /** Brings the database in line with the settings. @throws BootError for settings that the database refuses. */
  prepare?: (context: SharedContext) => Promise<void>;
  /** The settings that live in the database from then on, by subject: those of the last start stand. */
  standing?: (config: Config) => Readonly<Record<string, unknown>>;
  /** Values that it provides to files of the project that run beside requests. */
  lends?: (context: LendContext) => Partial<Lent> | Promise<Partial<Lent>>;
  /** Loads the files of the project that run beside requests. @returns them, and what ends what runs them. */
  files?: (context: FilesContext) => Promise<{ files: BackgroundFiles; close: () => Promise<void> }>;
  /** Handlers of jobs, by task. */
  handlers?: (context: SharedContext) => Handlers | Promise<Handlers>;
  /** Scheduled jobs of the service's own: their ids begin with `service.`. */
  crons?: (context: SharedContext) => CronJob[] | Promise<CronJob[]>;
  /** Returns its figures for /metrics that are of the whole start, and not of a process. They are asked for at each scrape. */
  figures?: (context: SharedContext) => () => Promise<Figure[]>;
  /** Begins its work, before any process serves. @returns what ends it. */
  share?: (context: ShareContext) => Promise<() => Promise<void>>;
  /** Begins work that no request waits for. @returns what ends it, before requests are no longer answered. */
  work?: (context: WorkContext) => Promise<() => Promise<void>>;
};

export type SharedContext = { config: Config; database: OwnDatabase; bus: MainBus; log: Logger };
/** With the figures of the start, of all features. */
export type ShareContext = SharedContext & { figures: () => Promise<Figure[]> };
/** With what is lent to files of the project. */
export type LendContext = SharedContext & { secrets: Secrets; mail: Mail };
/** With the services that files of the project use, made when they are asked for. */
export type FilesContext = SharedContext & { lent: (mail: Mail) => Promise<Partial<Lent>>; mail: () => Mail };
/** With the handlers of jobs and the scheduled jobs of the features before it in the list, and the files of the project. */
export type WorkContext = SharedContext & { handlers: Handlers; crons: readonly CronJob[]; files: BackgroundFiles };
