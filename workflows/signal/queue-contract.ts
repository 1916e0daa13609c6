/** A thousand scheduled signals due at once hold up no exit or cancel. */
export const scheduledQueueOf = (ordinary: string): string => `${ordinary}-scheduled`
