import type { ErrorCode } from './codes.ts';

/** Codes of the service, and of this client: NETWORK when the service did not answer. */
export type Code = ErrorCode | 'NETWORK';

/** More about an error, by its code. It serves diagnosis: each member may be missing, but for those that a program goes on with. */
interface DetailsByCode {
  MFA_REQUIRED: MfaRequired;
  NETWORK: { reason?: 'connection' | 'timeout' | 'not JSON'; contentType?: string; text?: string };
  VALIDATION_CONSTRAINT: Violations;
  VALIDATION_INVALID_VALUE: Violations;
  VALIDATION_UNKNOWN_FIELDS: Violations;
  VALIDATION_EXCLUDED_FIELDS: Violations;
  UNKNOWN_FIELD: UnknownName;
  UNKNOWN_FILTER_FIELD: UnknownName;
  UNKNOWN_ORDER_BY_FIELD: UnknownName;
  UNKNOWN_RELATION: UnknownName;
  PRECONDITION_FAILED: { id?: string; current?: string; expected?: string[]; collection?: string };
  PAYLOAD_TOO_LARGE: { limit?: number };
}
/** How the sign-in goes on: the token is sent with a code of one of these factors. */
export interface MfaRequired {
  mfaToken: string;
  factors: { id: string; factorType: string; friendlyName: string | null }[];
}
interface Violations {
  collection?: string;
  messages?: string[];
  violations?: { field: string; code: string; message: string }[];
  /** In a bulk write or a batch: which row it was, from 0. */
  index?: number;
}
interface UnknownName {
  collection?: string;
  field?: string;
  relation?: string;
  validFields?: string[];
  validRelations?: string[];
}
type OtherDetails = Record<string, unknown> | undefined;

interface Failed<C extends Code, D> extends Error {
  readonly name: 'RowgateError';
  /** The status of the answer; 0 without one. */
  readonly status: number;
  /** Stable: what a program branches on. */
  readonly code: C;
  readonly details: D;
  /** Names the request in the log of the service. */
  readonly requestId: string | undefined;
  /** Seconds after which the service asks to be asked again. */
  readonly retryAfter: number | undefined;
}

type Detailed = { [C in keyof DetailsByCode]: Failed<C, DetailsByCode[C]> }[keyof DetailsByCode];
/** Every failure of a request but an abort. A comparison of `code` tells the type of `details`. */
export type RowgateError = Detailed | Failed<Exclude<Code, keyof DetailsByCode>, OtherDetails>;

export interface Failure {
  status: number;
  code: Code;
  message: string;
  details?: unknown;
  requestId?: string | undefined;
  retryAfter?: number | undefined;
  cause?: unknown;
}

export const RowgateError = class extends Error {
  constructor({ message, cause, ...failure }: Failure) {
    super(message, { cause });
    Object.assign(this, failure, { name: 'RowgateError' });
  }
} as unknown as { new (failure: Failure): RowgateError; readonly prototype: RowgateError };

/** Refuses what cannot be sent as it is meant, before anything is sent. @throws RowgateError INVALID_INPUT */
export function refuse(message: string, code: Code = 'INVALID_INPUT', status = 0): never {
  throw new RowgateError({ status, code, message });
}
