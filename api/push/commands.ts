import {
  findTargets,
  recordDelivered,
  recordRefused,
  removeSubscription,
  saveSubscription,
} from '#db/push/subscriptions.ts'
import type { PushAddress, PushSubscription } from '#db/push/subscriptions.ts'
import type { SignedIn } from '../access/policy.ts'
import type { Caller } from '../http/caller.ts'
import { ApiError } from '#contract/errors.ts'
import { audit } from '../identity/audit.ts'
import { createDelivery, type PushDependencies } from './delivery.ts'
import { testMessage } from './message.ts'

/** Throws PUSH_DISABLED. */
function requirePush(push: PushDependencies | null): PushDependencies {
  if (!push) throw new ApiError('PUSH_DISABLED')
  return push
}

/** Replaces an earlier subscription of the browser. Throws PUSH_DISABLED and PUSH_SERVICE_UNKNOWN. */
export async function subscribe(
  { em, principal, ...origin }: Caller<SignedIn>,
  given: Omit<PushAddress, 'keyId'> & { device: string },
  deps: PushDependencies | null,
): Promise<{ subscription: PushSubscription; isNew: boolean }> {
  const { keys, isPushService } = requirePush(deps)
  if (!isPushService(given.endpoint)) throw new ApiError('PUSH_SERVICE_UNKNOWN')
  const { userId, sessionId } = principal
  return em.transactional(async (inner) => {
    const saved = await saveSubscription(inner, { ...given, keyId: keys.current, userId, sessionId })
    const { id: subscriptionId, device } = saved.subscription
    if (saved.isNew) await audit(inner, 'push.subscribed', userId, origin, { subscriptionId, device })
    return saved
  })
}

export const unsubscribe = (
  { em, principal: { userId }, ...origin }: Caller<SignedIn>,
  subscriptionId: string,
): Promise<void> =>
  em.transactional(async (inner) => {
    const isRemoved = await removeSubscription(inner, userId, subscriptionId)
    if (!isRemoved) throw new ApiError('SUBSCRIPTION_NOT_FOUND')
    await audit(inner, 'push.unsubscribed', userId, origin, { subscriptionId })
  })

export async function sendTest(
  { em, principal: { userId } }: Caller<SignedIn>,
  deps: PushDependencies | null,
): Promise<{ sent: number; failed: number }> {
  const deliver = createDelivery(requirePush(deps))
  const targets = await findTargets(em, userId)
  const deliveries = await Promise.all(
    targets.map(async (target) => ({ ...(await deliver(target, testMessage())), id: target.id })),
  )
  for (const { id, ...delivery } of deliveries) {
    if (delivery.is === 'taken') await recordDelivered(em, userId, id)
    if (delivery.is === 'gone') await removeSubscription(em, userId, id)
    if (delivery.is === 'refused') await recordRefused(em, userId, { id, reason: delivery.reason })
  }
  const sent = deliveries.filter(({ is }) => is === 'taken').length
  return { sent, failed: deliveries.length - sent }
}
