import type { Server, Socket } from "node:net"

/** A TCP server and its open connections. Stopping closes the connections instead of waiting for them. */
export class StoppableServer {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()

  constructor(server: Server) {
    this.#server = server
    server.on("connection", (socket) => {
      this.#sockets.add(socket)
      socket.once("close", () => this.#sockets.delete(socket))
    })
  }

  /** @returns the port, picked by the system for 0. @throws Error EADDRINUSE, EADDRNOTAVAIL */
  async listen(port: number, address: string): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject)
      this.#server.listen({ port, host: address, backlog: 1_024 }, () => {
        this.#server.off("error", reject)
        resolve()
      })
    })
    const bound = this.#server.address()
    return typeof bound === "object" && bound ? bound.port : port
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}
