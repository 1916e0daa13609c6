import { useQuery } from '@tanstack/react-query'
import type { Routes } from '#client/types.ts'
import { useEffect } from 'react'
import { dataOf } from '../connection/ask.ts'
import { worker } from '../connection/worker.ts'
import { readDevice } from './device.ts'
import { readChanged } from '../connection/queries.ts'

export type PushDevice = Routes['GET /api/v1/push/subscriptions']['answers'][200]['data'][number]
export type NotificationChoices = Routes['GET /api/v1/settings/notifications']['answers'][200]['data']

export const useDevices = () =>
  useQuery({
    queryKey: ['push', 'devices'],
    queryFn: () => dataOf('GET /api/v1/push/subscriptions'),
  })

/**
 * Facts about this browser, read again when its worker is ready or impossible, and when the person returns from its
 * settings.
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

export const useChoices = () =>
  useQuery({
    queryKey: choicesKey,
    queryFn: () => dataOf('GET /api/v1/settings/notifications'),
  })

/** No stream event reports a change of the devices. */
export const readDevicesAgain = (): Promise<unknown> => readChanged('push')
