/**
 * For scheduled signals until their entry is sent. A thousand may be due in the same second and wait for each
 * other there: exits, cancels and present signals have the ordinary queue.
 */
export const scheduledQueueOf = (ordinary: string): string => `${ordinary}-scheduled`
