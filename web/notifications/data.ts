import { useQuery, type QueryClient } from '@tanstack/react-query'
import type { Routes } from '#client/types.ts'
import { useEffect } from 'react'
import { dataOf } from '../connection/ask.ts'
import { worker } from '../connection/worker.ts'
import { readDevice } from './device.ts'

/** A device that gets the person's notifications. */
export type PushDevice = Routes['GET /api/v1/push/subscriptions']['answers'][200]['data'][number]
export type NotificationChoices = Routes['GET /api/v1/settings/notifications']['answers'][200]['data']

const KEYS = { devices: ['push', 'devices'], here: ['push', 'here'], choices: ['push', 'choices'] } as const

/** The devices that get the person's notifications. */
export const useDevices = () =>
  useQuery({
    queryKey: KEYS.devices,
    queryFn: () => dataOf('GET /api/v1/push/subscriptions'),
  })

/**
 * What this browser tells of itself; read again when its worker works or turns out to be impossible, and when a person
 * comes back from its settings.
 */
export function useThisDevice() {
  const query = useQuery({ queryKey: KEYS.here, queryFn: readDevice, staleTime: 0, networkMode: 'always' })
  const { refetch } = query
  useEffect(() => void worker.then(() => refetch()), [refetch])
  return query
}

/** What a person wants to be told. */
export const useChoices = () =>
  useQuery({
    queryKey: KEYS.choices,
    queryFn: () => dataOf('GET /api/v1/settings/notifications'),
  })

export const choicesKey = KEYS.choices

/** After a change, of which no event of the stream tells. */
export const readDevicesAgain = async (queries: QueryClient): Promise<void> => {
  await Promise.all([KEYS.devices, KEYS.here].map((queryKey) => queries.invalidateQueries({ queryKey })))
}
