#include "datasets/loopback_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <utility>

#include "autograd/error.h"

namespace lemma::datasets {

std::string HttpAnswer(const std::string& body) {
  return "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

LoopbackServer::LoopbackServer(std::string answer) : answer_(std::move(answer)) {
  socket_ = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  LEMMA_CHECK(bind(socket_, generic, size) == 0 && listen(socket_, 8) == 0 &&
              getsockname(socket_, generic, &size) == 0);
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { Serve(); });
}

LoopbackServer::~LoopbackServer() {
  stopping_ = true;
  shutdown(socket_, SHUT_RDWR);  // ends accept()
  thread_.join();
  close(socket_);
}

std::string LoopbackServer::Url() const {
  return "http://127.0.0.1:" + std::to_string(port_) + "/input.txt";
}

void LoopbackServer::Serve() {
  while (!stopping_) {
    const int client = accept(socket_, nullptr, nullptr);
    if (client < 0) continue;
    std::string request;
    char piece[1024];
    ssize_t size;
    while (request.find("\r\n\r\n") == std::string::npos &&
           (size = recv(client, piece, sizeof(piece), 0)) > 0) {
      request.append(piece, size);
    }
    ++requests_;
    for (size_t sent = 0; sent < answer_.size(); sent += size) {
      size = send(client, answer_.data() + sent, answer_.size() - sent, MSG_NOSIGNAL);
      if (size <= 0) break;
    }
    shutdown(client, SHUT_WR);
    while (recv(client, piece, sizeof(piece), 0) > 0) {
    }
    close(client);
  }
}

}  // namespace lemma::datasets
