// For tests: an HTTP server on this machine that gives one prepared answer to everyone.
#ifndef LEMMA_DATASETS_LOOPBACK_SERVER_H_
#define LEMMA_DATASETS_LOOPBACK_SERVER_H_

#include <atomic>
#include <string>
#include <thread>

namespace lemma::datasets {

// An answer with this body, as a server that works sends it.
std::string HttpAnswer(const std::string& body);

class LoopbackServer {
 public:
  // `answer` is all that is sent after a request has come, head and body; then the connection is
  // closed.
  explicit LoopbackServer(std::string answer);
  ~LoopbackServer();

  std::string Url() const;  // "http://127.0.0.1:PORT/input.txt"
  int requests() const { return requests_; }

 private:
  void Serve();

  std::string answer_;
  int socket_ = -1;
  int port_ = 0;
  std::atomic<int> requests_{0};
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

}  // namespace lemma::datasets

#endif  // LEMMA_DATASETS_LOOPBACK_SERVER_H_
