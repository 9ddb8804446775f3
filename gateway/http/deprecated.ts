import type { Call, Route } from './route.ts';

/** The route at a path of before: its answers, and its refusals, say that it will go. */
export function deprecated({ handle, admit, ...route }: Route): Route {
  const marking = <Answer>(then: (call: Call) => Answer) => (call: Call): Answer => {
    call.answerHeaders['Deprecation'] = 'true';
    return then(call);
  };
  return { ...route, handle: marking(handle), ...(admit && { admit: marking(admit) }) };
}
