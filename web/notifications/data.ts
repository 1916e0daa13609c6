import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { Routes } from '#client/types.ts'
import { useEffect } from 'react'
import { dataOf } from '../connection/ask.ts'
import { worker } from '../connection/worker.ts'
import { readDevice } from './device.ts'
import { readChanged } from '../connection/queries.ts'

/** Milliseconds between readings, because no stream event reports a message that was sent. */
const CHANNELS_EVERY_MS = 10_000
export type NotificationChoices = Routes['GET /api/v1/settings/notifications']['answers'][200]['data']

export const useChannels = () =>
  useQuery({
    queryKey: ['channels', 'list'],
    queryFn: () => dataOf('GET /api/v1/channels'),
    refetchInterval: CHANNELS_EVERY_MS,
  })

export const useDeliveries = (limit: number) =>
  useQuery({
    queryKey: ['channels', 'deliveries', limit],
    queryFn: () => dataOf('GET /api/v1/deliveries', { query: { limit } }),
    placeholderData: keepPreviousData,
    refetchInterval: CHANNELS_EVERY_MS,
  })

/**
 * Facts about this browser, read again when its worker is ready or impossible, and when the person returns from its
 * settings.
 */
export function useThisDevice() {
  const query = useQuery({
    queryKey: ['channels', 'here'],
    queryFn: readDevice,
    staleTime: 0,
    networkMode: 'always',
  })
  const { refetch } = query
  useEffect(() => void worker.then(() => refetch()), [refetch])
  return query
}

export const choicesKey = ['channels', 'choices'] as const

export const useChoices = () =>
  useQuery({
    queryKey: choicesKey,
    queryFn: () => dataOf('GET /api/v1/settings/notifications'),
  })

export const readChannelsAgain = (): Promise<unknown> => readChanged('channels')
