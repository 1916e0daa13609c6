/** Queue of scheduled signals until they are sent: a thousand due at once delay no exit or cancel. */
export const scheduledQueueOf = (ordinary: string): string => `${ordinary}-scheduled`
