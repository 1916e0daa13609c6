/**
 * The task queue of scheduled signals until their entry is sent, beside the ordinary one. A thousand of them may be due in
 * the same second, and wait for each other there: exits, cancels and signals of now are in the ordinary queue.
 */
export const scheduledQueueOf = (ordinary: string): string => `${ordinary}-scheduled`
