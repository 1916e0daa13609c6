import { useQuery } from '@tanstack/react-query'
import { dataOf } from '../connection/ask.ts'
import { everyPage, MOST_ROWS } from '../connection/every-page.ts'

/** The strategies that are in use, and those that were deleted. */
export const useAllStrategies = (isArchived: boolean) =>
  useQuery({
    queryKey: ['strategies', 'all', isArchived],
    queryFn: () =>
      everyPage(
        (cursor) =>
          dataOf('GET /api/v1/strategies', {
            query: {
              limit: MOST_ROWS,
              archived: isArchived ? 'true' : 'false',
              ...(cursor !== undefined && { cursor }),
            },
          }),
        (page) => page.strategies,
      ),
  })
