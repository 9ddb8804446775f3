import { type Config } from '../../config/config.ts';
import { type Secrets } from '../../boot/service.ts';

/** What a worker serves. It comes over the channel between the two, where no list of processes shows its secrets. */
export type Assignment = {
  number: number;
  config: Config;
  secrets: Secrets;
  url: string;
  port: number;
  /** Connections of this worker. */
  poolMax: number;
  /** The folder of the embedded server, if there is one: workers that outlive their parent stop it. */
  embedded: string | undefined;
};

export type ToWorker = { serve: Assignment } | { reload: true };
export type FromWorker = { listening: true } | { failed: string };
