const idLine = (id: string | null): string => (id === null ? '' : `id: ${id}\n`)

export const eventText = (event: string, data: object, id: string | null): string =>
  `${idLine(id)}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`

export const heartbeatText = (id: string | null): string => `: still here\n${idLine(id)}\n`

export const retryText = (milliseconds: number): string => `retry: ${milliseconds}\n\n`
