/** Of scheduled signals until they are sent: a thousand due at once wait there, and hold up no exit or cancel. */
export const scheduledQueueOf = (ordinary: string): string => `${ordinary}-scheduled`
