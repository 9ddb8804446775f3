import postgres from 'postgres';

/**
 * Begins to listen for notifications. `heard` gets the payload of each; `resumed` is called when listening begins, and when
 * it begins again after a break, since what was missed meanwhile is not known.
 */
export type Listen = (heard: (payload: string) => void, resumed: () => void) => Promise<{ end: () => Promise<void> }>;

/** At the database itself: LISTEN needs a session of its own, past any pooler. */
export function listenAt(url: string, channel: string): Listen {
  return async (heard, resumed) => {
    const connection = { application_name: 'rowgate listen' };
    const listener = postgres(url, { max: 1, fetch_types: false, onnotice: () => undefined, connection });
    const end = (timeout: number) => listener.end({ timeout });
    try {
      await listener.listen(channel, heard, resumed);
      return { end: () => end(1) };
    } catch (error) {
      await end(0); // or it would go on trying
      throw error;
    }
  };
}

/** Where nothing can be heard. */
export const deaf: Listen = () => Promise.resolve({ end: () => Promise.resolve() });
