import {
  findTargets,
  recordDelivered,
  recordRefused,
  removeSubscription,
  saveSubscription,
  type PushAddress,
  type PushSubscription,
  listSubscriptions,
} from '#db/notify/subscriptions.ts'
import { type SignedIn, inPerson } from '../access/policy.ts'
import type { Caller } from '../http/caller.ts'
import { ApiError } from '#contract/errors.ts'
import { audit } from '../identity/audit.ts'
import { createDelivery, type PushDependencies } from './delivery.ts'
import { testMessage } from './message.ts'
import { findChoices, saveChoices } from '#db/notify/choices.ts'
import { toIsoInstant } from '../http/presentation.ts'
import { Reply, route } from '../route/route.ts'
import { type SubscriptionAnswer, pushEndpoints } from '#contract/push.ts'

/** Throws PUSH_DISABLED. */
function requirePush(push: PushDependencies | null): PushDependencies {
  if (!push) throw new ApiError('PUSH_DISABLED')
  return push
}

/** Replaces the browser's earlier subscription. Throws PUSH_DISABLED and PUSH_SERVICE_UNKNOWN. */
async function subscribe(
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

const unsubscribe = (
  { em, principal: { userId }, ...origin }: Caller<SignedIn>,
  subscriptionId: string,
): Promise<void> =>
  em.transactional(async (inner) => {
    const isRemoved = await removeSubscription(inner, userId, subscriptionId)
    if (!isRemoved) throw new ApiError('SUBSCRIPTION_NOT_FOUND')
    await audit(inner, 'push.unsubscribed', userId, origin, { subscriptionId })
  })

async function sendTest(
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

interface PushRouteDeps {
  push: PushDependencies | null
}

const present = ({
  endpoint,
  createdAt,
  lastDeliveredAt,
  refusedSince,
  ...rest
}: PushSubscription): SubscriptionAnswer => ({
  ...rest,
  service: new URL(endpoint).host,
  createdAt: toIsoInstant(createdAt),
  lastDeliveredAt: lastDeliveredAt && toIsoInstant(lastDeliveredAt),
  refusedSince: refusedSince && toIsoInstant(refusedSince),
})

export const pushRoutes = [
  route(pushEndpoints['GET /api/v1/push/subscriptions'], {
    access: inPerson(),
    run: async ({ em, me }) => (await listSubscriptions(em, me.userId)).map(present),
  }),
  route(pushEndpoints['POST /api/v1/push/subscriptions'], {
    access: inPerson(),
    run: async ({ caller, body: { endpoint, keys, device } }, { push }: PushRouteDeps) => {
      const { subscription, isNew } = await subscribe(caller, { endpoint, ...keys, device }, push)
      return new Reply(isNew ? 201 : 200, present(subscription))
    },
  }),
  route(pushEndpoints['DELETE /api/v1/push/subscriptions/:subscriptionId'], {
    access: inPerson(),
    run: async ({ caller, path }) => {
      await unsubscribe(caller, path.subscriptionId)
      return { message: 'The browser gets no more notifications' }
    },
  }),
  route(pushEndpoints['POST /api/v1/push/test'], {
    access: inPerson(),
    deadline: 'within',
    run: ({ caller }, { push }: PushRouteDeps) => sendTest(caller, push),
  }),
  route(pushEndpoints['GET /api/v1/settings/notifications'], {
    access: inPerson(),
    run: ({ em, me }) => findChoices(em, me.userId),
  }),
  route(pushEndpoints['PUT /api/v1/settings/notifications'], {
    access: inPerson(),
    run: async ({ em, me, body }) => {
      await saveChoices(em, me.userId, body)
      return body
    },
  }),
]
