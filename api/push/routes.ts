import { findChoices, saveChoices } from '#db/push/choices.ts'
import { listSubscriptions, type PushSubscription } from '#db/push/subscriptions.ts'
import { inPerson } from '../access/policy.ts'
import { toIsoInstant } from '../http/presentation.ts'
import { Reply, route } from '../route/route.ts'
import type { SubscriptionAnswer } from '#contract/push/answers.ts'
import { sendTest, subscribe, unsubscribe } from './commands.ts'
import type { PushDependencies } from './delivery.ts'
import { pushEndpoints } from '#contract/push/endpoints.ts'

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
