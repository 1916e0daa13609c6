import { channelEndpoints, type ChannelAnswer, type DeliveryAnswer } from '#contract/notify/endpoints.ts'
import { ApiError } from '#contract/errors.ts'
import type { Database } from '#db/engine/database.ts'
import { listChannels, resumeChannel, type NotifyChannel } from '#db/notify/channels.ts'
import { findChoices, saveChoices } from '#db/notify/choices.ts'
import { DELIVERY_ORDER, listDeliveries, type NotedDelivery } from '#db/notify/deliveries.ts'
import { sendAgain } from '#db/notify/events.ts'
import { inPerson } from '../access/policy.ts'
import { toIsoInstant } from '../http/presentation.ts'
import { listRoute, Reply, route } from '../route/route.ts'
import {
  createChannel,
  deleteChannel,
  editChannel,
  ownTarget,
  rotateSecret,
  sendTest,
  type ChannelCommandDeps,
} from './commands.ts'

const isoOrNull = (instant: string | null): string | null =>
  instant === null ? null : toIsoInstant(new Date(instant))

const presentChannel = (channel: NotifyChannel): ChannelAnswer => ({
  ...channel,
  createdAt: toIsoInstant(new Date(channel.createdAt)),
  lastDeliveredAt: isoOrNull(channel.lastDeliveredAt),
  failingSince: isoOrNull(channel.failingSince),
  refusedSince: isoOrNull(channel.refusedSince),
  pausedAt: isoOrNull(channel.pausedAt),
})

const presentDelivery = (delivery: NotedDelivery): DeliveryAnswer => ({
  ...delivery,
  at: toIsoInstant(new Date(delivery.at)),
})

export const channelRoutes = [
  route(channelEndpoints['GET /api/v1/channels'], {
    access: inPerson(),
    run: async ({ em, me }) => (await listChannels(em, me.userId)).map(presentChannel),
  }),
  route(channelEndpoints['POST /api/v1/channels'], {
    access: inPerson(),
    deadline: 'within',
    run: async ({ caller, body }, deps: ChannelCommandDeps) => {
      const { channel, isNew, secret } = await createChannel(caller, body, deps)
      return new Reply(isNew ? 201 : 200, { channel: presentChannel(channel), secret })
    },
  }),
  route(channelEndpoints['PATCH /api/v1/channels/:channelId'], {
    access: inPerson(),
    run: async ({ caller, path, body }) => ({
      channel: presentChannel(await editChannel(caller, path.channelId, body)),
    }),
  }),
  route(channelEndpoints['DELETE /api/v1/channels/:channelId'], {
    access: inPerson(),
    run: async ({ caller, path }) => {
      await deleteChannel(caller, path.channelId)
      return { message: 'The channel gets no more notifications' }
    },
  }),
  route(channelEndpoints['POST /api/v1/channels/:channelId/test'], {
    access: inPerson(),
    deadline: 'within',
    run: async ({ caller, path }, deps: ChannelCommandDeps) => {
      const delivery = await sendTest(caller, path.channelId, deps)
      return { taken: delivery.is === 'taken', reason: 'reason' in delivery ? delivery.reason : null }
    },
  }),
  route(channelEndpoints['POST /api/v1/channels/:channelId/resume'], {
    access: inPerson(),
    run: async ({ em, me, path }) => {
      const channel = await resumeChannel(em, me.userId, path.channelId)
      if (!channel) throw new ApiError('CHANNEL_NOT_FOUND')
      return { channel: presentChannel(channel) }
    },
  }),
  route(channelEndpoints['POST /api/v1/channels/:channelId/rotate'], {
    access: inPerson(),
    run: async ({ caller, path }, deps: ChannelCommandDeps) => ({
      secret: await rotateSecret(caller, path.channelId, deps),
    }),
  }),
  route(channelEndpoints['POST /api/v1/channels/:channelId/send-again'], {
    access: inPerson(),
    run: async ({ em, me, path, body }, { ordinaryDatabase }: { ordinaryDatabase: Database }) => {
      await ownTarget(em, me.userId, path.channelId)
      // Users may not write the outbox.
      return { events: await sendAgain(ordinaryDatabase.em.fork(), me.userId, path.channelId, body) }
    },
  }),
  listRoute(channelEndpoints['GET /api/v1/deliveries'], {
    access: inPerson(),
    list: { order: DELIVERY_ORDER, rows: 'deliveries', present: presentDelivery },
    run: ({ em, me, filter, page }) => listDeliveries(em, me.userId, filter.channelId, page),
  }),
  route(channelEndpoints['GET /api/v1/settings/notifications'], {
    access: inPerson(),
    run: ({ em, me }) => findChoices(em, me.userId),
  }),
  route(channelEndpoints['PUT /api/v1/settings/notifications'], {
    access: inPerson(),
    run: async ({ em, me, body }) => {
      await saveChoices(em, me.userId, body)
      return body
    },
  }),
]
