/** A message about channels from one process of the service to the others. A frame is the text that members receive. */
export type Notice =
  /** A broadcast of a member elsewhere, or a change of presence there. */
  | { kind: 'broadcast' | 'presence'; channel: string; frame: string }
  /** Kept under this number. Without a frame the message is to be read. It is not sent to its sender, a session at any gateway. */
  | { kind: 'message'; channel: string; seq: number; sender: string; frame?: string }
  /** The presence of other processes has to be asked for again; without a channel, in all. */
  | { kind: 'roster'; channel?: string }
  /** As after a break: messages may have been kept of which nothing was heard. */
  | { kind: 'again' };

/** A session that is present, and what it says of itself, as JSON; null: it is present no more. */
export type Presence = { channel: string; id: string; state: string | null };

export type Hear = (notice: Notice) => void;

/** A process's way to the others. */
export type Bus = {
  /** Publishes a frame of a local member to the other processes. Resolves with false where it was too large for other gateways. */
  say: (channel: string, frame: string) => Promise<boolean>;
  /** `frame` tells it to the members elsewhere. */
  track: (presence: Presence, frame: string) => void;
  /** The members present at other processes: their states by their ids. */
  roster: (channel: string) => Promise<[id: string, state: string][]>;
  close: () => Promise<void>;
};

export type OpenBus = (hear: Hear) => Promise<Bus>;
