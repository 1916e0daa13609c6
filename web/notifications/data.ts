import { useQuery } from '@tanstack/react-query'
import type { Routes } from '#client/types.ts'
import { useEffect } from 'react'
import { dataOf } from '../connection/ask.ts'
import { worker } from '../connection/worker.ts'
import { readDevice } from './device.ts'
import { readChanged } from '../connection/queries.ts'

/** A device that gets the person's notifications. */
export type PushDevice = Routes['GET /api/v1/push/subscriptions']['answers'][200]['data'][number]
export type NotificationChoices = Routes['GET /api/v1/settings/notifications']['answers'][200]['data']

/** The devices that get the person's notifications. */
export const useDevices = () =>
  useQuery({
    queryKey: ['push', 'devices'],
    queryFn: () => dataOf('GET /api/v1/push/subscriptions'),
  })

/**
 * What this browser tells of itself; read again when its worker works or turns out to be impossible, and when a person
 * comes back from its settings.
 */
export function useThisDevice() {
  const query = useQuery({
    queryKey: ['push', 'here'],
    queryFn: readDevice,
    staleTime: 0,
    networkMode: 'always',
  })
  const { refetch } = query
  useEffect(() => void worker.then(() => refetch()), [refetch])
  return query
}

export const choicesKey = ['push', 'choices'] as const

/** What a person wants to be told. */
export const useChoices = () =>
  useQuery({
    queryKey: choicesKey,
    queryFn: () => dataOf('GET /api/v1/settings/notifications'),
  })

/** After a change, of which no event of the stream tells. */
export const readDevicesAgain = (): Promise<unknown> => readChanged('push')
