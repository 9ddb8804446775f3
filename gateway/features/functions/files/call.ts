/** A request as it goes to a worker; its body follows. */
export type SentRequest = {
  function: string;
  method: string;
  url: string;
  headers: [string, string][];
  requestId: string;
  caller: SentCaller;
};

/** The caller as readers and guards see it. */
export type SentCaller = {
  kind: 'user' | 'key' | 'service' | 'anonymous';
  uid: string;
  roles: string[];
  claims: Record<string, unknown>;
  /** Those that it holds. */
  scopes: string[];
  isGuest: boolean;
  isAdmin: boolean;
  aal: string | undefined;
};

/** The head of an answer. */
export type SentHead = { status: number; headers: [string, string][] };

/** A failure, on either way. */
export type SentError = {
  name: string; message: string; stack?: string | undefined; status?: number; code?: string; details?: Record<string, unknown> | undefined;
};

export type SentLine = {
  level: 'debug' | 'info' | 'warn' | 'error'; function?: string | undefined; requestId?: string | undefined; text: string;
};

/** A question of a worker to the gateway; `call` is the number of the call that asks as its caller, 0 as the service. */
export type SentQuestion = { of: string; call: number; given: unknown; hasBytes: boolean };
export type SentAnswer = { result: unknown; hasBytes?: boolean } | { failed: SentError };

export function sentError(error: unknown): SentError {
  if (!(error instanceof Error)) return { name: 'Error', message: `Thrown: ${String(error)}` };
  const { name, message, stack } = error;
  return { name, message, stack };
}
