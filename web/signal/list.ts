import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { Signal } from '#client/types.ts'
import { dataOf } from '../connection/ask.ts'
import { onNews } from '../connection/live.ts'
import type { Query } from './filters.ts'
import { withNews, type SignalPage } from './page-news.ts'
import { markOld, queries } from '../connection/queries.ts'

const keyOf = (query: Query) => ['signals', 'list', query] as const

export function useSignalPage(query: Query) {
  const name = JSON.stringify(query)
  useEffect(() => {
    const key = keyOf(JSON.parse(name) as Query)
    return onNews((news) => {
      if (news.name !== 'signal') return
      const data = news.data as Signal & { isRemoved?: true }
      const page = queries.getQueryData<SignalPage>(key)
      if (!page) return
      const next = data.isRemoved ? null : withNews(page, data, key[2])
      if (next) queries.setQueryData<SignalPage>(key, next)
      else markOld(key)
    })
  }, [name])
  return useQuery({
    queryKey: keyOf(query),
    queryFn: (): Promise<SignalPage> => dataOf('GET /api/v1/signals', { query }),
    placeholderData: keepPreviousData,
  })
}
