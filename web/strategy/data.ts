import { useQuery } from '@tanstack/react-query'
import { dataOf } from '../connection/ask.ts'
import { everyPage } from '../connection/every-page.ts'

export const useAllStrategies = (isArchived: boolean) =>
  useQuery({
    queryKey: ['strategies', 'all', isArchived],
    queryFn: () =>
      everyPage(
        (place) =>
          dataOf('GET /api/v1/strategies', {
            query: {
              archived: isArchived ? 'true' : 'false',
              ...place,
            },
          }),
        (page) => page.strategies,
      ),
  })
